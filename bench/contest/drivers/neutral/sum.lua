-- SPDX-License-Identifier: MIT
-- For wrk: POSTs of two factors; the first argument is how many are pipelined.
function init(arguments)
  local headers = { ["Content-Type"] = "application/json" }
  local one = wrk.format("POST", "/contest.Contest/Multiply", headers, '{"a":3,"b":4}')
  requests = string.rep(one, tonumber(arguments[1]))
end

function request() return requests end
