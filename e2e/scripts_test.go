package e2e

import (
	"net/http"
	"os"
	"path"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/chromedp"
)

// scripts are what single modules of static/js must do where a journey leads seldom. Each returns what it finds.
var scripts = map[string]struct{ script, want string }{
	"an update leaves what is chosen in a form": {`
		const { startMorphing } = await import("/static/js/morph.js");
		const define = htmx.defineExtension;
		let extension;
		htmx.defineExtension = (_, defined) => (extension = defined);
		startMorphing();
		htmx.defineExtension = define;
		const parse = (html) => document.createRange().createContextualFragment(html);
		document.body.append(parse("<div class=probe><form><input type=checkbox id=first name=first value=1>" +
			"<select name=when><option value=now>1<option value=later>2<option value=never>3</select></form></div>"));
		const probe = document.querySelector(".probe");
		const [box, select] = probe.querySelectorAll("input, select");
		box.checked = true;
		select.value = "later";
		const shown = extension.handleSwap("morph", probe, parse("<div class=probe><form>" +
			"<input type=checkbox id=other name=other value=2 autofocus><input type=checkbox id=first name=first value=1>" +
			"<select name=when><option value=now>1<option value=soon>2<option value=later>3" +
			"<option value=never selected>4</select></form></div>"));
		const kept = [...probe.querySelectorAll("input:checked, select, [autofocus]")].map(
			(field) => field.name + "=" + field.value);
		probe.remove();
		return shown.length === 1 && shown[0] === probe && kept.join();`, "first=1,when=later"},
	"an update leaves alone what the person works with": {
		`
		const { morph } = await import("/static/js/morph.js");
		const parse = (html) => document.createRange().createContextualFragment(html).firstElementChild;
		const probe = document.body.appendChild(parse("<div id=probe>" +
			"<details id=read><summary>Read</summary></details><p data-keep id=kept>Kept</p>" +
			"<form id=filled><input id=link><i>old</i></form><form id=empty><input id=note value=old><i>old</i></form>" +
			"<select id=zone><option>A<option>B</select><textarea id=text>old</textarea>" +
			"<ul><li id=a><input type=checkbox id=box-a value=a></li><li><a id=b>b</a></li></ul></div>"));
		const find = (id) => document.getElementById(id);
		find("read").open = true;
		find("link").value = "typed";
		find("box-a").checked = true;
		find("text").value = "typed";
		find("text").focus();
		find("text").setSelectionRange(1, 3);
		morph(probe, parse("<div id=probe><p>News</p>" +
			"<section><details open class=new><summary>More</summary><a id=b>b</a></details></section>" +
			"<details id=read><summary>Read</summary></details><p data-keep id=kept></p>" +
			"<form id=filled><input id=link value=new><i>new</i></form>" +
			"<form id=empty><input id=note value=new><i>new</i></form>" +
			"<select id=zone><option>C<option>A<option selected>B</select><textarea id=text>new</textarea>" +
			"<ul><li id=c><input type=checkbox id=box-c value=c></li><li id=d>d</li></ul></div>"));
		const text = find("text");
		const found = {
			open: find("read").open, opened: probe.querySelector(".new").open,
			kept: find("kept").textContent, typed: find("filled").textContent + find("link").value,
			news: find("empty").textContent + find("note").value,
			zone: find("zone").value, text: text.value, checked: find("box-c").checked,
			focus: document.activeElement === text && text.selectionStart + "-" + text.selectionEnd,
		};
		probe.remove();
		return Object.entries(found).map((pair) => pair.join(" ")).join();`,
		"open true,opened true,kept Kept,typed oldtyped,news newnew,zone B,text typed,checked false,focus 1-3",
	},
	"a message counts down to the publishing, and is changed only when its text changes": {
		`
		const { startCountdown } = await import("/static/js/countdown.js");
		const probe = document.body.appendChild(document.createElement("p"));
		probe.innerHTML = "Publishing 2 posts<span data-counts-down=10> begins in 10 seconds.</span>";
		const [now, interval, clear] = [Date.now, window.setInterval, window.clearInterval];
		let time = 0, tick, ended = false;
		[Date.now, window.setInterval, window.clearInterval] =
			[() => time, (run) => ((tick = run), 7), (timer) => (ended = timer === 7)];
		const changes = new MutationObserver(() => {});
		changes.observe(probe, { childList: true, characterData: true, subtree: true });
		startCountdown();
		const shown = [probe.textContent];
		for (time of [100, 1500, 9200, 10000]) shown.push((tick(), probe.textContent));
		[Date.now, window.setInterval, window.clearInterval] = [now, interval, clear];
		probe.remove();
		return [...shown, ended, changes.takeRecords().length].map((text) => String(text).replace("Publishing 2 posts", "")).join();`,
		" begins in 10 seconds., begins in 10 seconds., begins in 9 seconds., begins in 1 second.,…,true,3",
	},
	"the focus stays when an update replaces its element": {`
		const { morph } = await import("/static/js/morph.js");
		const parse = (html) => document.createRange().createContextualFragment(html).firstElementChild;
		const probe = document.body.appendChild(parse("<div id=probe><button id=act>Cancel</button></div>"));
		probe.firstElementChild.focus();
		morph(probe, parse("<div id=probe><p>Published</p><a id=act href=/posts>Open</a></div>"));
		const focused = document.activeElement;
		probe.remove();
		return focused.tagName + " " + focused.id;`, "A act"},
	"a press that ends without a click asks for the news again": {`
		const told = [];
		for (const end of ["pointercancel", "keyup"]) {
			const elt = Object.assign(document.createElement("div"), { innerHTML: "" });
			elt.dataset.live = "posts";
			const heard = new Promise((resolve) => elt.addEventListener("live", () => resolve(end)));
			const detail = { requestConfig: { elt }, target: { matches: () => true }, xhr: { status: 200 } };
			document.dispatchEvent(new CustomEvent("htmx:beforeSwap", { detail }));
			document.dispatchEvent(new Event(end));
			told.push(await Promise.race([heard, new Promise((resolve) => setTimeout(resolve, 3000, "nothing"))]));
		}
		return told.join();`, "pointercancel,keyup"},
	"a page that is refused a stream waits longer each time": {`
		const { startLive } = await import("/static/js/live.js");
		const [source, timeout] = [window.EventSource, window.setTimeout];
		const waits = [];
		let stream, next;
		window.EventSource = class extends EventTarget {
			static CLOSED = 2;
			readyState = 2;
			constructor() { super(); stream = this; }
			close() {}
		};
		window.setTimeout = (then, wait) => { waits.push(wait / 1000); next = then; };
		startLive();
		for (let n = 0; n < 7; n++) { stream.dispatchEvent(new Event("error")); next(); }
		[window.EventSource, window.setTimeout] = [source, timeout];
		return waits.join();`, "20,40,80,160,320,600,600"},
	"a change that comes during an update leads to another update": {`
		const { startLive } = await import("/static/js/live.js");
		const source = window.EventSource;
		let stream;
		window.EventSource = class extends EventTarget {
			constructor() { super(); stream = this; }
			close() {}
		};
		startLive();
		window.EventSource = source;
		const probe = Object.assign(document.createElement("div"), { className: "htmx-request" });
		probe.dataset.live = "posts";
		document.body.append(probe);
		let updates = 0;
		const updated = new Promise((resolve) => probe.addEventListener("live", () => resolve(++updates)));
		for (let n = 0; n < 2; n++) stream.dispatchEvent(new MessageEvent("change", { data: '{"posts":["post_1"]}' }));
		const during = updates;
		probe.dispatchEvent(new Event("htmx:afterRequest")); // of a part of the element
		await new Promise((resolve) => setTimeout(resolve));
		const duringItsOwn = updates;
		probe.classList.remove("htmx-request");
		probe.dispatchEvent(new Event("htmx:afterRequest"));
		await updated;
		probe.remove();
		return [during, duringItsOwn, updates].join(" ");`, "0 0 1"},
	"the present time and the distance to a time run on an open page": {
		`
		const { startClocks } = await import("/static/js/zone.js");
		const zone = "Europe/Berlin";
		const probe = document.createElement("p");
		document.body.append(probe);
		const [present, timeout] = [Date.now, window.setTimeout];
		let now, next;
		Date.now = () => Date.parse(now);
		window.setTimeout = (then, wait) => { next = { then, wait }; };
		const said = [];
		for (const [at, time] of [
			["04:08:30", "06:00"], ["04:20:10", "06:00"], ["05:59:00", "06:00"], ["05:59:01", "06:00"], ["06:00:30", "06:00"],
			["06:01:01", "06:00"], ["04:20:00", "07:20"],
		]) {
			now = "2026-11-24T" + at + "Z";
			const until = "2026-11-24T" + time + ":00Z";
			probe.innerHTML = "<span data-now-in=Asia/Kathmandu></span>: <span data-until=" + until + " data-zone=" + zone + "></span>";
			if (next) next.then(); else startClocks();
			said.push(probe.textContent.replace(", now Tue ", "") + (next.wait > 60000 || next.wait < 1000 ? " " + next.wait : ""));
		}
		for (const at of ["2026-11-25T04:19", "2026-11-25T04:20", "2026-11-28T23:30"]) {
			probe.innerHTML = "<span data-until=" + at + ":00Z data-zone=" + zone + "></span>";
			next.then();
			said.push(probe.textContent);
		}
		[Date.now, window.setTimeout] = [present, timeout];
		probe.remove();
		return said.join("|");`,
		"09:53: in 1 hour 51 minutes|10:05: in 1 hour 39 minutes|11:44: in 1 minute|11:44: now|11:45: now|11:46: in the past|" +
			"10:05: in 3 hours|in 23 hours 59 minutes|tomorrow|in 5 days",
	},
	"an empty time zone becomes the browser's own, even without a menu of all zones": {`
		const { offerZones } = await import("/static/js/zone.js");
		const all = Intl.supportedValuesOf;
		const offered = [];
		for (const [known, value] of [[undefined, ""], [undefined, "Asia/Kathmandu"], [() => ["Asia/Kathmandu"], ""]]) {
			Intl.supportedValuesOf = known;
			const probe = document.body.appendChild(document.createElement("p"));
			probe.innerHTML = "<input data-zone-input id=probed value='" + value + "'>";
			offerZones();
			const input = document.getElementById("probed");
			offered.push(input.tagName + " " + (input.value === "Asia/Kathmandu" ? input.value :
				input.value === (Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC")));
			probe.remove();
		}
		Intl.supportedValuesOf = all;
		return offered.join();`, "INPUT true,INPUT Asia/Kathmandu,SELECT true"},
	"a group without accounts is not chosen": {`
		const { startChoosing } = await import("/static/js/accounts.js");
		const form = document.createElement("form");
		form.innerHTML = "<div id=account-choice><button name=pick data-chooses=gone></button></div>";
		startChoosing(form);
		return form.querySelector("button").getAttribute("aria-pressed");`, "false"},
	"files that are processed are looked for once, and one that is dropped beside the others comes last": {`
		const { startStrip } = await import("/static/js/strip.js");
		const form = document.createElement("form");
		form.innerHTML = "<ul id=tiles>" + ["a", "b", "c"].map((name) =>
			"<li class=tile data-processing data-name=" + name + ">" + name + "</li>").join("") +
			"</ul><p id=strip-status></p><div id=strip><section class=uploads><button data-uploads-close></button>" +
			"<ul data-uploads-list></ul></section></div>";
		document.body.append(form);
		const [timeout, clear] = [window.setTimeout, window.clearTimeout];
		const timers = new Set();
		window.setTimeout = (then, wait) => { const id = timeout(then, 1e6); timers.add(id); return id; };
		window.clearTimeout = (id) => { timers.delete(id); clear(id); };
		startStrip(form, () => {});
		for (let n = 0; n < 3; n++) form.dispatchEvent(new CustomEvent("redrawn"));
		[window.setTimeout, window.clearTimeout] = [timeout, clear];
		const drag = (element, type, at) => element.dispatchEvent(
			new DragEvent(type, { bubbles: true, dataTransfer: new DataTransfer(), ...at }));
		const tiles = form.querySelector("#tiles");
		const under = tiles.lastElementChild.getBoundingClientRect();
		drag(tiles.firstElementChild, "dragstart");
		drag(tiles, "drop", { clientX: under.x + 5, clientY: under.bottom + 40 });
		const order = tiles.textContent;
		form.remove();
		return timers.size + " " + order;`, "1 bca"},
	"the composer shows why the server refuses, and asks again only when it may": {
		`
		const { startRedrawing } = await import("/static/js/redraw.js");
		const form = document.createElement("form");
		form.innerHTML = "<input name=text><button id=submit></button>";
		form.dataset.plan = "/plan";
		const [fetching, timeout] = [window.fetch, window.setTimeout];
		const waits = [];
		window.setTimeout = (then, wait) => { waits.push(wait); return 0; };
		const redraw = startRedrawing(form);
		const refuse = async (status, headers) => {
			window.fetch = async () => new Response("<div data-code=x><p>No, " + status + ". </p></div>", { status, headers });
			waits.length = 0;
			document.getElementById("toasts").replaceChildren();
			await redraw();
			return document.getElementById("toasts").textContent + waits.filter((wait) => wait !== 6000).join();
		};
		const told = [await refuse(403), await refuse(429, { "Retry-After": "30" }), await refuse(503)];
		[window.fetch, window.setTimeout] = [fetching, timeout];
		document.getElementById("toasts").replaceChildren();
		return told.join("|");`,
		"No, 403. Your text is still here.|No, 429. Your text is still here.30000|No, 503. Your text is still here.5000",
	},
	// A file that was picked while the plan of the text was on its way was gone.
	"the composer leaves out a plan that does not know a file that was just added": {
		`
		const { startRedrawing } = await import("/static/js/redraw.js");
		const form = document.createElement("form");
		form.innerHTML = "<ol id=tiles></ol><button id=submit></button>";
		form.dataset.plan = "/plan";
		const [fetching, timeout] = [window.fetch, window.setTimeout];
		window.setTimeout = () => 0;
		let arrive;
		const body = new Promise((arrived) => (arrive = arrived));
		window.fetch = async () => ({ ok: true, headers: new Headers(), text: () => body });
		const drawn = startRedrawing(form)();
		const tiles = form.querySelector("#tiles");
		tiles.append(document.createElement("li"));
		tiles.dispatchEvent(new Event("input", { bubbles: true }));
		arrive("<form id=compose><ol id=tiles></ol><button id=submit></button></form>");
		await drawn;
		[window.fetch, window.setTimeout] = [fetching, timeout];
		return tiles.childElementCount + " " + form.hasAttribute("data-planning");`, "1 true",
	},
}

// readModules answers the browser's requests for single modules with the files of static/js. The program serves them
// only as one script.
func (b *browser) readModules() {
	b.t.Helper()
	answer := func(asked *fetch.EventRequestPaused) error {
		body, err := os.ReadFile(filepath.Join("../static/js", path.Base(asked.Request.URL)))
		if err != nil {
			return err
		}
		_, err = chromedp.Call(b.ctx, fetch.FulfillRequest, fetch.FulfillRequestParams{
			RequestID: asked.RequestID, ResponseCode: http.StatusOK, Body: body,
			ResponseHeaders: []*fetch.HeaderEntry{{Name: "Content-Type", Value: "text/javascript; charset=utf-8"}},
		})
		return err
	}
	err := chromedp.Listen(b.ctx, func(event any) {
		if asked, ok := event.(*fetch.EventRequestPaused); ok {
			go func() { // a listener must not wait for the browser
				if err := answer(asked); err != nil {
					b.t.Errorf("answer the request for %s: %v", asked.Request.URL, err)
				}
			}()
		}
	})
	if err != nil {
		b.t.Fatal(err)
	}
	modules := fetch.EnableParams{Patterns: []*fetch.RequestPattern{{URLPattern: "*/static/js/*"}}}
	if _, err := chromedp.Call(b.ctx, fetch.Enable, modules); err != nil {
		b.t.Fatal(err)
	}
}

func TestScriptsOfThePages(t *testing.T) {
	t.Parallel()
	_, b := openHarbourBakery(t)
	b.clickLink(testid("nav-compose"))
	b.readModules()
	for what, s := range scripts {
		got := evaluateScript[string](b, "(async () => {"+s.script+"})()", chromedp.EvalAwaitPromise)
		if got != s.want {
			t.Errorf("%s: got %q, want %q", what, got, s.want)
		}
	}
	b.checkConsole()
}
