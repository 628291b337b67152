// The server's events of a brain. EventSource cannot send a token, so the stream is read with fetch.
import { brain_url, request } from "./api.js";

const kFirstWait = 1000, kLongestWait = 30000, kSilence = 45000;  // milliseconds; the server pings every 15 seconds

// Calls handle(event, data) for each event in a text/event-stream.
async function read_events(body, handle, alive) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    alive();
    text += value.replaceAll("\r", "");
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      let event = "message";
      const data = [];
      for (const line of text.slice(0, end).split("\n")) {
        if (line.startsWith("event:")) event = line.slice(6).trim();
        if (line.startsWith("data:")) data.push(line.slice(5).trimStart());
      }
      text = text.slice(end + 2);
      if (data.length > 0) handle(event, JSON.parse(data.join("\n")));
    }
  }
}

// Follows a brain until the returned function is called. connected(true | false) reports the connection.
export function follow(brain, handle, connected) {
  const stop = new AbortController();
  (async () => {
    let wait = kFirstWait;
    while (!stop.signal.aborted) {
      const attempt = new AbortController();
      const give_up = () => attempt.abort();
      stop.signal.addEventListener("abort", give_up);
      let timer = 0;
      const alive = () => {
        clearTimeout(timer);
        timer = setTimeout(give_up, kSilence);
      };
      try {
        const response = await request(brain_url(brain, "events"), { signal: attempt.signal });
        connected(true);
        wait = kFirstWait;
        alive();
        await read_events(response.body, handle, alive);
      } catch {
        // the connection ended: try again below
      }
      clearTimeout(timer);
      stop.signal.removeEventListener("abort", give_up);
      if (stop.signal.aborted) return;
      connected(false);
      await new Promise((resolve) => setTimeout(resolve, wait * (0.75 + Math.random() / 2)));
      wait = Math.min(2 * wait, kLongestWait);
    }
  })();
  return () => stop.abort();
}
