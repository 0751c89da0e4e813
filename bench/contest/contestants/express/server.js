// SPDX-License-Identifier: MIT
// express: GET /test answers a constant object.
'use strict'

const express = require('express')
const person = require('../../drivers/node/person')
const { serve } = require('../../drivers/node/options')

const app = express()
app.get('/test', (request, response) => response.json(person))
serve(app)
