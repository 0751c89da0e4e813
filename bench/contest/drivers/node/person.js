// SPDX-License-Identifier: MIT
// The constant object of seven fields that GET /test answers: 256 bytes of JSON.
'use strict'

module.exports = {
  id: '5f0c6f9e8d3b2a0017c4e1aa',
  name: 'Augusta Ada King, Countess of Lovelace',
  email: 'ada.lovelace@analytical-engine.example',
  phone: '+44 20 7946 0958',
  city: '12 St James\'s Square, London SW1Y 4LB',
  company: 'The Analytical Engine Company',
  age: 36
}
