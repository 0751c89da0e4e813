// SPDX-License-Identifier: MIT
// autocannon on GET /test or another path, reported as the runner wants it; every body is compared.
'use strict'

const http = require('node:http')
const autocannon = require('autocannon')
const person = require('./person')
const { parse } = require('./options')

const options = parse()
const url = `http://${options.target.replace('tcp://', '')}${options.path}`

/** Resolves with the body that all answers must equal, once it is known to be the right object. */
const expected = () => new Promise((resolve, reject) => {
  http.get(url, (response) => {
    let body = ''
    response.on('data', (piece) => { body += piece })
    response.on('end', () => {
      const found = JSON.parse(body)
      const isRight = ['id', 'name', 'age'].every((key) => found[key] === person[key])
      isRight ? resolve(body) : reject(new Error('an answer is wrong'))
    })
  }).on('error', reject)
})

const shoot = (duration, expectBody) => autocannon({
  url, duration, expectBody, connections: options.connections, pipelining: options.outstanding / options.connections
})

const cpuSeconds = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

const main = async () => {
  const body = await expected()
  const warm = options.warmup > 0 ? await shoot(options.warmup, body) : { requests: { total: 0 } }
  const before = cpuSeconds()
  const result = await shoot(options.seconds, body)
  // Without latencies: autocannon's are whole milliseconds, and with pipelining not those of the calls.
  console.log(JSON.stringify({
    calls: result.requests.total,
    seconds: result.duration,
    all_calls: result.requests.total + warm.requests.total,
    cpu_seconds: cpuSeconds() - before,
    errors: result.errors + result.mismatches + result.non2xx + result.timeouts
  }))
}

main().then(() => process.exit(0), (error) => {
  console.error(`contest: ${error.message}`)
  process.exit(1)
})
