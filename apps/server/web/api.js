// Requests to the server that served this page. A token, if it needs one, is kept for this browser tab only.

const kTokenKey = "fearnet-token";

export class Problem extends Error {
  constructor(status, detail) {
    super(detail);
    this.name = "Problem";
    this.status = status;
  }
}

let ask_for_token = null;  // a function that returns a promise of a token, or of null
let asking = null;         // the promise, while the question is open

export function set_token_question(question) {
  ask_for_token = question;
}

async function new_token(refused) {
  const stored = sessionStorage.getItem(kTokenKey);
  if (stored !== refused) return stored;  // another request has been told it meanwhile
  asking ??= ask_for_token(refused !== null).finally(() => (asking = null));
  const token = await asking;
  if (token !== null) sessionStorage.setItem(kTokenKey, token);
  return token;
}

// The address of something of a brain; query parameters that are null are left out.
export function brain_url(brain, what, query = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== null && value !== undefined);
  const text = new URLSearchParams(given).toString();
  return `/v1/brains/${encodeURIComponent(brain)}/${what}${text ? `?${text}` : ""}`;
}

async function problem_of(response) {
  let detail = "";
  try {
    detail = (await response.json()).detail;
  } catch {
    // not a problem document
  }
  return new Problem(response.status, detail || `the server answered ${response.status} ${response.statusText}`);
}

// Answers with the Response, or throws a Problem.
export async function request(url, options = {}) {
  for (;;) {
    const token = sessionStorage.getItem(kTokenKey);
    const headers = { ...options.headers };
    if (token !== null) headers.Authorization = `Bearer ${token}`;
    let response;
    try {
      response = await fetch(url, { ...options, headers, cache: "no-store" });
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new Problem(0, "the server does not answer; is fearnet serve still running?");
    }
    if (response.ok) return response;
    if (response.status !== 401 || (await new_token(token)) === null) throw await problem_of(response);
  }
}

export const get = async (url, options) => (await request(url, options)).json();

export async function post(url, body = null, options = {}) {
  const json = body !== null && Object.getPrototypeOf(body) === Object.prototype;
  return (await request(url, {
    method: "POST",
    ...options,
    body: json ? JSON.stringify(body) : body,
    headers: json ? { "Content-Type": "application/json", ...options.headers } : options.headers,
  })).json();
}

// Saves a blob under a name.
export function save(blob, name) {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

// Fetched with the token, which a plain link would not send.
export async function download(url, name) {
  save(await (await request(url)).blob(), name);
}
