// SPDX-License-Identifier: MIT
// node:http alone: POST /contest.Contest/Multiply.
'use strict'

const { serve } = require('../../drivers/node/options')

serve((request, response) => {
  const pieces = []
  request.on('data', (piece) => pieces.push(piece))
  request.on('end', () => {
    const { a, b } = JSON.parse(Buffer.concat(pieces))
    const body = JSON.stringify({ pro: a * b })
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
    response.end(body)
  })
})
