// SPDX-License-Identifier: MIT
// koa: GET /test answers a constant object.
'use strict'

const Koa = require('koa')
const person = require('../../drivers/node/person')
const { serve } = require('../../drivers/node/options')

const app = new Koa()
app.use((context) => {
  if (context.path === '/test') context.body = person
})
serve(app.callback())
