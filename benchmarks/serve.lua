-- Load of serve.py for wrk: posts the rows of a file of float32 in turn; the last line printed is JSON.
--   usage: wrk -s serve.lua URL -- FILE BYTES_PER_ROW
local requests, next_request = {}, 0

function init(arguments)
    local file = assert(io.open(arguments[1], "rb"))
    while true do
        local row = file:read(tonumber(arguments[2]))
        if not row then break end
        requests[#requests + 1] = wrk.format("POST", nil, {["Content-Type"] = "application/octet-stream"}, row)
    end
    file:close()
end

function request()
    next_request = next_request % #requests + 1
    return requests[next_request]
end

function done(summary, latency)
    local e = summary.errors
    io.write(string.format(
        '{"requests": %d, "seconds": %.6f, "p50_ms": %.4f, "p99_ms": %.4f, "errors": %d}\n', summary.requests,
        summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
        e.connect + e.read + e.write + e.status + e.timeout))
end
