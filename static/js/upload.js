// Uploads many files: three at once, each with its progress. If the connection breaks, it sends a file again after
// increasing waits and as soon as the browser is online; after several failures, the person can press Retry. No file
// is uploaded twice: a repeated reservation has the same key, and an upload address accepts a file once.
//
//   const uploads = startUploads(panel, { onReady: (file) => …, folder: () => "" });
//   uploads.add(input.files);
//   acceptDrops(document.body, uploads.add);
//
// The panel is ui.Uploads. It has data-busy during uploads and data-failed after a failed one, and sends "uploads" when
// one of these attributes may have changed. onReady gets the API's record of a file that can be used: id, originalName,
// kind, thumbnailUrl and so on. onIdle is called when all uploads have ended.
import { showToast } from "/static/js/toast.js";

const atOnce = 3;
const retryWaits = [1, 2, 4, 8, 15, 30]; // seconds before each retry
const longestSilence = 30_000; // milliseconds without progress after which an upload has failed
const checkWaits = [500, 1000, 2000, 4000]; // milliseconds between checks whether files are ready

// A Refusal ends an upload until the person tries again. After any other error, the upload is retried automatically.
class Refusal extends Error {}

// TemporaryError is an error after which the same request may succeed. If known, it has the number of seconds to wait.
class TemporaryError extends Error {}

const newKey = () => {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  return [...crypto.getRandomValues(new Uint8Array(26))].map((byte) => letters[byte % 32]).join("");
};

const unreachable = "Cannot reach the server.";

let lastReservation = Promise.resolve();

// reserveInTurn reserves an upload address after all earlier reservations, because the library lists files in the order
// in which they were reserved.
function reserveInTurn(url, request) {
  const reservation = lastReservation.then(() => requestJSON(url, request));
  lastReservation = reservation.catch(() => {});
  return reservation;
}

// requestJSON sends a request to the dashboard and returns the response's JSON, or throws an error with the server's
// message.
async function requestJSON(url, { form, signal } = {}) {
  const answer = await fetch(url, {
    method: form ? "POST" : "GET",
    body: form && new URLSearchParams(form),
    headers: { Accept: "application/json" },
    redirect: "manual",
    signal: AbortSignal.any([AbortSignal.timeout(longestSilence), ...(signal ? [signal] : [])]),
  });
  if (answer.type === "opaqueredirect") throw new Refusal("Your session has ended. Sign in again in another tab, then retry the upload.");
  const text = await answer.text();
  if (answer.ok) return text ? JSON.parse(text) : undefined;
  throw errorOf(answer.status, text, answer.headers.get("Retry-After"), true);
}

// errorOf returns an error for a response: a TemporaryError if the server is busy or says how long to wait, or else a
// Refusal. hints says whether to add the response's hint; the hints of the API are for programs.
function errorOf(status, text, retryAfter, hints) {
  let told = {};
  try {
    told = JSON.parse(text) ?? {};
  } catch {
    // A proxy's response has another format.
  }
  const waiting = retryAfter || status >= 500 || status === 408 || status === 429;
  const words = [told.message, hints && told.hint].filter(Boolean).join(" ");
  const problem = waiting
    ? new TemporaryError(words || "The server is busy.")
    : new Refusal(words || `The server refused the file (${status}).`);
  return Object.assign(problem, { code: told.code, seconds: Number(retryAfter) || 0 });
}

// putBytes sends a file to its signed address, and shows the progress.
function putBytes(upload) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    let quiet;
    const wait = () => {
      clearTimeout(quiet);
      quiet = setTimeout(() => request.abort(), longestSilence);
    };
    const end = (settle, value) => {
      clearTimeout(quiet);
      settle(value);
    };
    request.upload.addEventListener("progress", (event) => {
      wait();
      upload.sent = event.loaded / Math.max(event.total, 1);
      upload.show();
    });
    request.addEventListener("error", () => end(reject, new Error(unreachable)));
    request.addEventListener("abort", () => end(reject, new Error("The connection is too slow.")));
    request.addEventListener("load", () => {
      if (request.status === 200) end(resolve);
      else end(reject, errorOf(request.status, request.responseText, request.getResponseHeader("Retry-After")));
    });
    upload.stop.signal.addEventListener("abort", () => request.abort(), { once: true });
    request.open("PUT", new URL(upload.reserved.uploadUrl, location.href).pathname);
    wait();
    request.send(upload.file);
  });
}

class Upload {
  state = "waiting";
  key = newKey();
  tries = 0;
  sent = 0;
  words = "";

  constructor(file, batch, folder, show) {
    Object.assign(this, { file, batch, folder, name: file.name, stop: new AbortController() });
    this.show = () => show(this);
  }

  setState(state, words = "") {
    Object.assign(this, { state, words });
    this.show();
  }

  // send reserves an upload address and sends the file's bytes. If the address has expired, it reserves another one.
  async send(url) {
    this.sent = 0;
    this.setState("uploading");
    this.reserved ??= await reserveInTurn(url, {
      form: { form: this.key, filename: this.name, mime: this.file.type, size: this.file.size, folder: this.folder },
      signal: this.stop.signal,
    });
    try {
      await putBytes(this);
    } catch (problem) {
      switch (problem.code) {
        case "already_uploaded": // and the answer was lost
          return;
        case "upload_in_progress": // the server has not yet noticed that the connection broke
        case "invalid_request":
          throw new TemporaryError(problem.message);
        case "upload_expired":
        case "not_found":
          this.forget();
          throw new TemporaryError(problem.message);
      }
      throw problem;
    }
  }

  forget() {
    this.reserved = undefined;
    this.key = newKey();
  }
}

// startUploads makes a panel (ui.Uploads) upload files. It returns an object with add, which uploads files.
export function startUploads(panel, { onReady = () => {}, onIdle = () => {}, folder = () => "" } = {}) {
  const url = panel.dataset.uploads;
  const uploads = [];
  const rows = new Map();
  const list = panel.querySelector("[data-uploads-list]");
  let busy = false;
  const isOpen = (upload) => ["waiting", "uploading", "pausing", "processing"].includes(upload.state);

  function show(upload) {
    const row = rows.get(upload);
    const progress = row.querySelector("progress");
    row.dataset.state = upload.state;
    progress.hidden = !["waiting", "uploading", "pausing"].includes(upload.state);
    progress.value = upload.sent;
    row.querySelector("[data-upload-words]").textContent = wordsOf(upload);
    row.querySelector("[data-cancel]").hidden = !isOpen(upload) || upload.state === "processing";
    row.querySelector("[data-retry]").hidden = upload.state !== "failed" && upload.state !== "pausing";
    row.querySelector("[data-dismiss]").hidden = upload.state !== "failed";
    showSummary();
    reportReady();
  }

  // showSummary shows the progress of all uploads. Screen readers announce it when it changes.
  function showSummary() {
    const done = uploads.filter((upload) => upload.state === "done").length;
    const failed = uploads.filter((upload) => upload.state === "failed").length;
    const files = uploads.length === 1 ? "file" : "files";
    let text = `${done} of ${uploads.length} ${files} uploaded`;
    if (failed > 0) text += `, ${failed} failed`;
    const count = panel.querySelector("[data-uploads-count]");
    panel.hidden = uploads.length === 0;
    panel.toggleAttribute("data-busy", uploads.some(isOpen));
    panel.toggleAttribute("data-failed", failed > 0);
    panel.dispatchEvent(new Event("uploads", { bubbles: true }));
    if (count.textContent !== text + ".") setTimeout(() => (count.textContent = text + "."));
  }

  function remove(upload) {
    uploads.splice(uploads.indexOf(upload), 1);
    rows.get(upload).remove();
    rows.delete(upload);
    showSummary();
    reportReady();
    startNext();
  }

  // startNext starts waiting uploads while fewer than the maximum are running. Of the files that were added together, it
  // begins with the last, because the library lists the newest file first.
  function startNext() {
    while (uploads.filter((upload) => upload.state === "uploading").length < atOnce) {
      const waiting = uploads.filter((upload) => upload.state === "waiting");
      if (waiting.length === 0) break;
      run(waiting.findLast((upload) => upload.batch === waiting[0].batch));
    }
    if (busy && !uploads.some(isOpen)) onIdle();
    busy = uploads.some(isOpen);
  }

  async function run(upload) {
    try {
      await upload.send(url);
      upload.setState("processing");
      checkProcessing();
    } catch (problem) {
      if (upload.stop.signal.aborted) return; // cancelled
      if (problem instanceof Refusal) upload.setState("failed", problem.message);
      else pause(upload, problem);
    }
    startNext();
  }

  // pause waits before the next attempt, or stops until the person tries again.
  function pause(upload, problem) {
    const words = problem instanceof TemporaryError ? problem.message : unreachable;
    const wait = retryWaits[upload.tries++];
    if (wait === undefined) {
      upload.setState("failed", words);
      return;
    }
    upload.setState("pausing", words);
    upload.timer = setTimeout(() => resume(upload), Math.max(wait, problem.seconds || 0) * 1000);
  }

  function resume(upload) {
    clearTimeout(upload.timer);
    if (upload.state !== "pausing" && upload.state !== "failed") return;
    upload.setState("waiting");
    startNext();
  }

  // retry starts an upload again. If the server has refused the file, it first deletes the reservation.
  async function retry(upload) {
    upload.tries = 0;
    if (upload.refused) await cancelReservation(upload);
    resume(upload);
  }

  async function cancel(upload) {
    upload.stop.abort();
    clearTimeout(upload.timer);
    remove(upload);
    await cancelReservation(upload);
  }

  // cancelReservation cancels a file's reservation. If that fails, the reservation expires later.
  async function cancelReservation(upload) {
    const { reserved } = upload;
    upload.refused = false;
    upload.forget();
    if (reserved) await requestJSON(`${url}/${reserved.mediaId}/cancel`, { form: {} }).catch(() => {});
  }

  // checkProcessing asks repeatedly which of the files can be used.
  let checking = false;
  async function checkProcessing() {
    if (checking) return;
    checking = true;
    for (let n = 0; ; n++) {
      await new Promise((resolve) => setTimeout(resolve, checkWaits[Math.min(n, checkWaits.length - 1)]));
      const waiting = uploads.filter((upload) => upload.state === "processing");
      if (waiting.length === 0) break;
      const ids = new URLSearchParams(waiting.map((upload) => ["id", upload.reserved.mediaId]));
      const { media = [] } = await requestJSON(`${url}?${ids}`).catch(() => ({}));
      for (const upload of waiting) settle(upload, media.find((file) => file.id === upload.reserved.mediaId));
      if (waiting.some((upload) => upload.state !== "processing")) n = -1;
    }
    checking = false;
    startNext();
  }

  // reportReady calls onReady in the order in which the files were chosen. A file waits for those before it.
  function reportReady() {
    for (const upload of uploads) {
      if (isOpen(upload)) return;
      const file = upload.ready;
      upload.ready = null;
      if (file) onReady(file);
    }
  }

  function settle(upload, file) {
    if (file?.status === "ready") {
      upload.ready = file;
      upload.setState("done");
    } else if (file?.status === "failed") {
      upload.refused = true;
      upload.setState("failed", file.failReason);
    }
  }

  function add(files) {
    if (!uploads.some(isOpen)) uploads.filter((upload) => upload.state === "done").forEach(remove);
    const batch = {};
    for (const file of files) {
      const upload = new Upload(file, batch, folder(), show);
      const row = panel.querySelector("template").content.firstElementChild.cloneNode(true);
      row.querySelector("[data-upload-name]").textContent = file.name;
      row.querySelector("progress").setAttribute("aria-label", file.name);
      for (const name of row.querySelectorAll("[data-of]")) name.textContent = `: ${file.name}`;
      row.querySelector("[data-cancel]").addEventListener("click", () => cancel(upload));
      row.querySelector("[data-retry]").addEventListener("click", () => retry(upload));
      row.querySelector("[data-dismiss]").addEventListener("click", () => cancel(upload));
      rows.set(upload, row);
      uploads.push(upload);
      list.append(row);
      upload.show();
    }
    startNext();
  }

  panel.querySelector("[data-uploads-close]").addEventListener("click", () => {
    uploads.filter((upload) => !isOpen(upload)).forEach(remove);
  });
  addEventListener("online", () => uploads.filter((upload) => upload.state === "pausing").forEach(resume));
  addEventListener("beforeunload", (event) => {
    if (uploads.some((upload) => isOpen(upload) && upload.state !== "processing")) event.preventDefault();
  });
  return { add };
}

function wordsOf({ state, words, sent }) {
  switch (state) {
    case "waiting":
      return "Waiting";
    case "uploading":
      return `${Math.floor(sent * 100)}%`;
    case "pausing":
      return `${words} Trying again soon.`;
    case "processing":
      return "Processing";
    case "done":
      return "Uploaded";
    default:
      return words;
  }
}

// acceptDrops calls add with files that are dropped on an element. The element has data-dropping while files are over
// it.
export function acceptDrops(element, add) {
  // Some browsers treat a picture that is dragged within the page as a file.
  let inside = false;
  document.addEventListener("dragstart", () => (inside = true));
  document.addEventListener("dragend", () => (inside = false));
  const hasFiles = (event) => !inside && [...(event.dataTransfer?.types ?? [])].includes("Files");

  let depth = 0;
  const over = (change) => {
    depth = change === 0 ? 0 : Math.max(0, depth + change);
    element.toggleAttribute("data-dropping", depth > 0);
  };
  element.addEventListener("dragenter", (event) => hasFiles(event) && over(1));
  element.addEventListener("dragleave", (event) => hasFiles(event) && over(-1));
  element.addEventListener("dragover", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "copy";
  });
  element.addEventListener("drop", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    over(0);
    const items = [...event.dataTransfer.items].filter((item) => item.kind === "file");
    const files = items.filter((item) => !item.webkitGetAsEntry?.()?.isDirectory).map((item) => item.getAsFile());
    if (files.length < items.length) showToast("Folders cannot be uploaded. Drop their files instead.");
    add(files);
  });
}

// acceptPaste calls add with files that are pasted into an element.
export function acceptPaste(element, add) {
  element.addEventListener("paste", (event) => {
    const files = [...(event.clipboardData?.files ?? [])];
    if (files.length === 0) return;
    event.preventDefault();
    add(files);
  });
}
