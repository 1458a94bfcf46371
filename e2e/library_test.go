package e2e

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"belfry/internal/media/mediatest"
)

// breakingProxy passes connections on to a service, and breaks many of those that carry uploads: in the middle of the
// bytes, or when the service has answered.
type breakingProxy struct {
	t        testing.TB
	target   string
	url      string
	reserves atomic.Int32
	puts     atomic.Int32
	broken   atomic.Int32
}

func startBreakingProxy(t testing.TB, target string) *breakingProxy {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	p := &breakingProxy{t: t, target: target, url: strings.Replace("http://"+listener.Addr().String(), "127.0.0.1", "localhost", 1)}
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go p.carry(client)
		}
	}()
	return p
}

// What happens to a request.
const (
	pass = iota
	cut  // after its first bytes
	lose // its answer
)

// fate decides about a request by its first bytes.
func (p *breakingProxy) fate(request []byte) int {
	const breaks = 36
	switch {
	case bytes.HasPrefix(request, []byte("PUT /upload/")):
		if n := p.puts.Add(1); n <= breaks {
			return int(n) % 3
		}
	case bytes.HasPrefix(request, []byte("POST /")) && bytes.Contains(request, []byte("/media/uploads HTTP/")):
		if p.reserves.Add(1) <= 2 {
			return lose
		}
	}
	return pass
}

func (p *breakingProxy) carry(client net.Conn) {
	server, err := (&net.Dialer{}).DialContext(p.t.Context(), "tcp", p.target)
	if err != nil {
		_ = client.Close()
		return
	}
	defer client.Close()
	defer server.Close()
	var loses atomic.Bool
	go func() {
		defer client.Close()
		buffer := make([]byte, 64<<10)
		for {
			n, err := server.Read(buffer)
			if err != nil || loses.Load() {
				return
			}
			if _, err := client.Write(buffer[:n]); err != nil {
				return
			}
		}
	}()
	buffer := make([]byte, 64<<10)
	for {
		n, err := client.Read(buffer)
		if err != nil {
			return
		}
		switch p.fate(buffer[:n]) {
		case cut:
			p.broken.Add(1)
			_, _ = server.Write(buffer[:min(n, 2_000)])
			return
		case lose:
			p.broken.Add(1)
			loses.Store(true)
		}
		if _, err := server.Write(buffer[:n]); err != nil {
			return
		}
	}
}

// writePictures writes pictures into a new folder and returns their paths.
func writePictures(t testing.TB, names ...string) (paths []string) {
	t.Helper()
	folder := t.TempDir()
	for _, name := range names {
		at := filepath.Join(folder, name)
		if err := os.WriteFile(at, mediatest.JPEG(640, 480), 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, at)
	}
	return paths
}

const readyFiles = `document.querySelectorAll("[data-testid=file][data-status=ready]").length`

func TestTwentyFilesArriveOverABrokenConnection(t *testing.T) {
	t.Parallel()
	s := newStandaloneService(t)
	proxy := startBreakingProxy(t, s.env["ADDR"])
	s.env["PUBLIC_URL"] = proxy.url
	s.serveUntilReady()
	defer s.process.requireStop(t)
	b := newBrowser(t)
	b.setUp(s)
	b.clickLink(testid("nav-media"))
	var names []string
	for i := range 20 {
		names = append(names, fmt.Sprintf("bell %02d.jpg", i))
	}
	b.runActions("choose 20 files", chromedp.SetUploadFiles(chromedp.CSS(testid("upload")), writePictures(t, names...)))
	eventually(t, time.Minute, "all files are uploaded", func() bool {
		return evaluateScript[bool](b,
			`document.querySelector("[data-testid=uploads-count]").textContent === "20 of 20 files uploaded."`)
	})
	b.waitFor(readyFiles + ` === 20`)
	t.Logf("%d requests were broken", proxy.broken.Load())
	if n := proxy.broken.Load(); n < 20 {
		t.Errorf("only %d requests were broken", n)
	}
	b.runActions("load the page anew", chromedp.Reload())
	shown := evaluateScript[[]string](b,
		`[...document.querySelectorAll("[data-testid=file] .gallery-name")].map((name) => name.textContent).sort()`)
	if got, want := strings.Join(shown, ","), strings.Join(names, ","); got != want {
		t.Errorf("the library has %s; want %s", got, want)
	}
}

// dragTo is a script that drags the first file to a folder, as a mouse does.
const dragTo = `(() => {
	const dataTransfer = new DataTransfer();
	const send = (to, type) => to.dispatchEvent(new DragEvent(type, {bubbles: true, cancelable: true, dataTransfer}));
	const folder = document.querySelector("[data-testid=folder][data-drop^=fld]");
	send(document.querySelector("[data-testid=file]"), "dragstart");
	send(folder, "dragover");
	send(folder, "drop");
})()`

func TestTheLibraryInABrowser(t *testing.T) {
	t.Parallel()
	s := newStandaloneService(t)
	s.serveUntilReady()
	defer s.process.requireStop(t)
	b := newBrowser(t)
	b.setUp(s)
	b.clickLink(testid("nav-media"))
	b.checkAccessibility("the empty library")
	const header, first = `document.querySelector("label[for=upload]").checkVisibility()`,
		`document.querySelector("[data-first-upload]")?.checkVisibility() === true`
	b.waitFor(first + ` && !` + header)
	b.runActions("press the button for the first files", chromedp.Evaluate[chromedp.Void](
		`document.getElementById("upload").addEventListener("click", (event) => {
			window.asked = true;
			event.preventDefault(); // no dialog of the system
		}, { once: true })`), clickOn("[data-first-upload]"))
	b.waitFor(`window.asked === true`)
	b.runActions("choose files", chromedp.SetUploadFiles(chromedp.CSS(testid("upload")), writePictures(t, "noon.jpg", "rope.jpg")))
	b.waitFor(readyFiles + ` === 2`)
	b.waitFor(`document.querySelector(".gallery-name").textContent === "noon.jpg"`)
	b.waitFor(header + ` && !(` + first + `)`)
	b.checkAccessibility("the library with finished uploads")
	const shownFile = `document.querySelector("dialog#drawer[open] h1")?.textContent`
	b.runActions("open the first file", clickOn(".gallery-link"))
	b.waitFor(shownFile + ` === "noon.jpg"`)
	b.pressKeys(kb.ArrowRight)
	b.waitFor(shownFile + ` === "rope.jpg"`)
	b.pressKeys(kb.ArrowLeft)
	b.waitFor(shownFile + ` === "noon.jpg"`)
	b.runActions("note whether an arrow key opens a file", chromedp.Evaluate[chromedp.Void](`window.opened = false;
		document.addEventListener("htmx:configRequest", ({ target }) => window.opened ||= target.matches("[data-arrow]"))`))
	b.typeInto("#file-name", "Noon"+kb.ArrowLeft+kb.ArrowRight)
	if evaluateScript[bool](b, `window.opened`) {
		t.Error("an arrow key opens another file while a person types")
	}
	b.runActions("close the drawer", clickOn("#drawer .drawer-close button"))
	b.waitFor(`document.querySelector("dialog#drawer[open]") === null`)
	b.checkConsole()
	// A request that is in progress would let htmx drop the update.
	const update = `document.querySelector(".htmx-request") ?? document.body.dispatchEvent(new Event("files-changed")), `
	b.runActions("let updates fail", chromedp.Evaluate[chromedp.Void](`window.fails = true;
		document.addEventListener("htmx:configRequest", ({ detail }) => { if (window.fails) detail.path = "/nowhere" })`))
	b.waitFor(update + `document.querySelector("#fault [data-code=not_found]") !== null`)
	b.runActions("let updates succeed", chromedp.Evaluate[chromedp.Void](`window.fails = false`))
	b.waitFor(update + `document.querySelector("#fault").innerText === ""`)
	b.forgetComplaints()
	b.runActions("select all", clickOn("[data-selects-all]"))
	b.waitFor(`getComputedStyle(document.querySelector("[data-testid=uploads]")).display === "none"`)

	b.runActions("open the form of a new folder", clickOn(testid("new-folder")))
	b.waitFor(`document.activeElement.id === "new-folder"`)
	b.typeInto("#new-folder", "Summer")
	b.clickLink(testid("create-folder"))
	b.waitFor(`document.querySelector("[data-testid=folder-name]").textContent === "Summer"`)
	b.checkAccessibility("an empty folder")
	b.clickLink(testid("folder") + `[href$="/media"]`)
	b.runActions("drag a file to the folder", chromedp.Evaluate[chromedp.Void](dragTo))
	b.waitFor(`document.querySelector("[data-testid=flash]")?.innerText.includes("1 file moved.") === true`)
	b.clickLink(testid("folder") + `[data-drop^=fld]`)
	b.waitFor(readyFiles + ` === 1`)

	b.runActions("open the file", clickOn(".gallery-link"))
	b.waitFor(`document.querySelector("dialog#drawer[open] [data-testid=file-form]") !== null`)
	b.checkAccessibility("a file in the drawer")
	b.runActions("select the name", chromedp.Evaluate[chromedp.Void](`document.querySelector("#file-name").select()`))
	b.typeInto("#file-name", "The bell at noon")
	b.clickLink(testid("save-file"))
	b.waitFor(`document.querySelector(".gallery-name").textContent === "The bell at noon"`)

	b.clickLink(testid("folder") + `[href$="/media"]`)
	b.clickLink(testid("view-list"))
	b.checkAccessibility("the list of files")
	for _, width := range []int64{320, 375, 1440} {
		b.runActions("change the width", chromedp.EmulateViewport(width, 800))
		b.waitFor(`document.documentElement.scrollWidth <= innerWidth`)
	}
	b.runActions("select all", clickOn("[data-selects-all]"))
	b.waitFor(`document.querySelector("[data-selected-count]").textContent === "2 selected"`)
	b.checkAccessibility("selected files")
	b.runActions("clear the selection", clickOn(testid("clear-selection")))
	b.waitFor(`!document.querySelector("[data-selects]:checked, [data-selects-all]:checked, [data-selects-all]:indeterminate")`)
	b.waitFor(`!document.querySelector("[data-testid=bulk]").checkVisibility()`)
	b.runActions("select all again", clickOn("[data-selects-all]"))
	b.runActions("open the form of a tag", clickOn(testid("tag")))
	b.waitFor(`document.activeElement.id === "bulk-tag"`)
	b.loadPage("tag the files", chromedp.SendKeys(chromedp.CSS("#bulk-tag"), "noon\r"))
	b.waitFor(`document.querySelector("[data-testid=flash]")?.innerText.includes("2 files tagged with “noon”.") === true`)
	b.waitFor(`document.querySelector("[data-selected-count]").textContent === "2 selected"`)
	b.clickLink(testid("delete-files"))
	b.clickLink(testid("confirm"))
	b.waitFor(`document.querySelector("[data-testid=empty]") !== null`)
	b.waitFor(`document.querySelector("[data-testid=flash]") !== null`)
	b.runActions("choose another file", chromedp.SetUploadFiles(chromedp.CSS(testid("upload")), writePictures(t, "dawn.jpg")))
	b.waitFor(`document.querySelector("[data-testid=flash]") === null`)
	b.waitFor(readyFiles + ` === 1`)
	b.checkConsole()
}
