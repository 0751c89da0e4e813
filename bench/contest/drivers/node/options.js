// SPDX-License-Identifier: MIT
// The command line of a contestant's program, and the end of a server.
'use strict'

const { parseArgs } = require('node:util')

const text = (fallback) => ({ type: 'string', default: fallback })

/** Numbers are numbers; `role` is serve or call. */
exports.parse = () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      target: text(''), path: text('/test'), work: text('object'), bytes: text('8'), connections: text('1'), outstanding: text('1'),
      seconds: text('1'), warmup: text('0.2')
    }
  })
  const names = ['bytes', 'connections', 'outstanding', 'seconds', 'warmup']
  const numbers = names.map((name) => [name, Number(values[name])])
  return { ...values, ...Object.fromEntries(numbers), role: positionals[0] }
}

/** Says where it listens, and serves until standard input ends. */
exports.serve = (handler) => {
  const server = require('node:http').createServer(handler).listen(0, '127.0.0.1', () => {
    console.log(`listening on 127.0.0.1:${server.address().port}`)
  })
  process.stdin.resume().on('end', () => process.exit(0))
}
