// A dialog that shows the texts and the plan's table before several posts are sent.
let dialog;

function buildDialog() {
  dialog = document.createElement("dialog");
  dialog.className = "confirm-send";
  dialog.setAttribute("aria-labelledby", "confirm-send-title");
  dialog.dataset.testid = "confirm-send";
  const title = Object.assign(document.createElement("h2"), { id: "confirm-send-title", className: "confirm-title" });
  const plan = Object.assign(document.createElement("div"), { className: "confirm-plan", tabIndex: 0 });
  const acts = Object.assign(document.createElement("div"), { className: "acts end" });
  const back = Object.assign(document.createElement("button"), { type: "button", className: "button", textContent: "Back" });
  const send = Object.assign(document.createElement("button"), { type: "button", className: "button primary" });
  back.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => plan.replaceChildren());
  send.dataset.testid = "confirm";
  acts.append(back, send);
  dialog.append(title, plan, acts);
  document.body.append(dialog);
  return { title, plan, send };
}

let parts;

// confirmSending shows what would be sent, and calls send if the person confirms it.
export function confirmSending(form, send) {
  parts ??= buildDialog();
  const label = form.querySelector("[data-submit-label]").textContent;
  parts.title.textContent = `${label}?`;
  parts.send.textContent = label;
  parts.plan.replaceChildren(
    ...[...form.querySelectorAll("#plan .causes, #plan > .plan-words, #plan .plan-rows")].map((part) => part.cloneNode(true)),
  );
  parts.plan.setAttribute("aria-label", "Plan");
  parts.send.onclick = () => {
    dialog.close();
    send();
  };
  dialog.showModal();
  parts.send.focus();
}
