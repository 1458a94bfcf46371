package e2e

import (
	"bytes"
	"fmt"
	"maps"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// settingInputs are a post's settings as the inputs of the dashboard send them. Those that are not used are not offered.
func (k kindOfPost) settingInputs() formInput {
	entered := formInput{}
	for name, value := range k.settings {
		if slices.ContainsFunc(settingRows(), func(row settingRow) bool {
			return row.network == k.network && row.name == name && row.call == notSent
		}) {
			continue
		}
		text := fmt.Sprint(value)
		if list, ok := value.([]string); ok {
			text = strings.Join(list, "\n")
		}
		if ms, ok := value.(int); ok && name == "coverMs" { // people enter seconds
			text = fmt.Sprint(float64(ms) / 1000)
		}
		if index, ok := value.(int); ok && name == "photoCoverIndex" { // people count files from 1
			text = fmt.Sprint(index + 1)
		}
		entered["settings."+k.network+"."+name] = []string{text}
	}
	return entered
}

// addFiles presses the composer's button for files, with the files of the library that are chosen and new ones.
func (p *person) addFiles(entered formInput, library []string, device map[string][]byte) *person {
	p.t.Helper()
	f := p.readForm(testid("add-files"))
	maps.Copy(f.values, entered)
	for _, id := range library {
		f.values.Add("media", id)
	}
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for name, values := range f.values {
		for _, value := range values {
			if name == "upload" {
				continue // empty, without a file
			}
			if err := form.WriteField(name, value); err != nil {
				p.t.Fatal(err)
			}
		}
	}
	for name, content := range device {
		part, err := form.CreateFormFile("upload", name)
		if err == nil {
			_, err = part.Write(content)
		}
		if err != nil {
			p.t.Fatal(err)
		}
	}
	if err := form.Close(); err != nil {
		p.t.Fatal(err)
	}
	to := attrValue(p.findOne(testid("add-files")), "formaction")
	return p.sendBody(http.MethodPost, to, form.FormDataContentType(), &body)
}

// The goal: the same kinds and settings through the dashboard, here without scripts. Files come from the library, and one
// from the person's device.
func TestEveryKindIsComposedWithoutScripts(t *testing.T) {
	t.Parallel()
	s := newService(t, allNetworks())
	s.serveUntilReady()
	press := s.newKindsPress(nil)
	kinds, rows := kindsWithSettings(t, "PL"+s.accountAt("youtube")[len("UC"):])
	t.Logf("%d kinds of posts without scripts, %d of them with settings", len(kinds), len(rows))
	sent := map[string]sentKind{}
	_, p := s.signIn(press.seed)
	for _, key := range slices.Sorted(maps.Keys(kinds)) {
		sent[key] = press.compose(t, p, kinds[key])
	}
	for key, one := range sent {
		t.Run(key, func(t *testing.T) { one.checkLive(t, rows[key]) })
	}
}

// checkLive waits until a post that was sent from the dashboard is live with its settings.
func (s sentKind) checkLive(t *testing.T, rows []settingRow) {
	t.Helper()
	post := s.press.inTest(t).waitForStatus(s.id, "live", time.Minute)
	for _, row := range rows {
		row.checkArrived(t, s, post)
	}
	s.checkShown(t)
}

// compose writes a post of a kind in the composer and sends it.
func (p *kindsPress) compose(t *testing.T, person *person, k kindOfPost) sentKind {
	t.Helper()
	sent := sentKind{kindOfPost: k, press: p, label: k.name + " on " + k.network + " without scripts"}
	entered := formInput{"text": {sent.label}, "title": {k.title}, "when": {"now"}}
	if k.wordless {
		entered["text"] = []string{""}
	}
	person.openLink("/compose?account=" + p.accounts[k.network]).requireStatus(http.StatusOK)
	for i, name := range k.files {
		library, device := []string{p.media[name]}, map[string][]byte(nil)
		if len(k.files) > 1 && i == 0 {
			library, device = nil, map[string][]byte{name: filesOfKinds()[name]}
		}
		person.addFiles(entered, library, device).requireStatus(http.StatusOK)
	}
	maps.Copy(entered, k.settingInputs())
	for name := range entered {
		if len(person.findAll(`[name="`+name+`"]`)) == 0 && name != "title" {
			t.Fatalf("the composer has no input %s: %s", name, person.visibleText("main"))
		}
	}
	person.submitForm(testid("check-plan"), entered).requireStatus(http.StatusOK)
	person.submitForm(testid("submit"), nil).requireStatus(http.StatusOK)
	if len(person.findAll(testid("post"))) == 0 {
		t.Fatalf("sending leads to %s: %s", person.at, person.visibleText("main"))
	}
	sent.id = path.Base(person.at.Path)
	return sent
}

// The same in a real browser, a kind on each network: with files of the library and of the device, in another order, and
// with settings.
func TestKindsAreComposedInABrowser(t *testing.T) {
	t.Parallel()
	s := newService(t, allNetworks())
	s.serveUntilReady()
	press := s.newKindsPress(nil)
	kinds, rows := kindsWithSettings(t, "PL"+s.accountAt("youtube")[len("UC"):])
	b := newBrowser(t)
	b.runActions("open the service", chromedp.Navigate(s.url+"/sign-in"))
	b.typeInto("#email", press.seed.Email)
	b.typeInto("#password", press.seed.Password)
	b.clickLink(testid("sign-in-submit"))
	sent := map[string]sentKind{}
	for _, key := range []string{
		"youtube video with an image", "instagram Reel", "facebook Reel", "threads image", "tiktok photos",
	} {
		k := kinds[key]
		one := sentKind{kindOfPost: k, press: press, label: k.name + " on " + k.network + " in a browser"}
		b.compose(press, one)
		at, err := url.Parse(evaluateScript[string](b, "location.href"))
		if err != nil {
			t.Fatal(err)
		}
		one.id = path.Base(at.Path)
		sent[key] = one
	}
	b.waitFor(`document.querySelector("[data-testid=post][data-status=live]") !== null`)
	for key, one := range sent {
		one.checkLive(t, rows[key])
	}
	b.checkConsole()
}

// compose writes a post in the composer and sends it. The last file comes from the device and is moved to its place.
func (b *browser) compose(press *kindsPress, sent sentKind) {
	b.t.Helper()
	b.runActions("compose", chromedp.Navigate(press.service.url+"/compose?account="+press.accounts[sent.network]))
	b.typeInto(testid("text"), sent.label)
	last := len(sent.files) - 1
	var library []string
	for _, name := range sent.files[1:] {
		library = append(library, press.media[name])
	}
	b.addFromLibrary(library...)
	b.uploadFiles(filesOfKinds(), sent.files[0])
	for range last {
		b.moveEarlier()
	}
	b.checkAccessibility("compose with files of " + sent.network)
	if sent.title != "" {
		b.typeInto("#title", sent.title)
	}
	for name, texts := range sent.settingInputs() {
		b.enterSetting(name, texts[0])
	}
	b.runActions("send it now", clickOn(testid("when-now")))
	b.waitFor(
		`document.querySelector("[data-testid=plan-row][data-ok=true]") !== null && ` +
			`!document.querySelector("#submit").disabled`,
	)
	b.clickLink(testid("submit"))
}

// uploadFiles chooses files of the device in the composer, and waits until they are in the strip.
func (b *browser) uploadFiles(content map[string][]byte, names ...string) {
	b.t.Helper()
	folder := b.t.TempDir()
	paths := make([]string, len(names))
	for i, name := range names {
		paths[i] = filepath.Join(folder, name)
		if err := os.WriteFile(paths[i], content[name], 0o600); err != nil {
			b.t.Fatal(err)
		}
	}
	const inStrip = `document.querySelectorAll("[data-testid=file]:not([data-processing])").length`
	before := evaluateScript[int](b, inStrip)
	b.runActions("choose files of the device", chromedp.SetUploadFiles(chromedp.CSS(testid("upload")), paths))
	b.waitFor(fmt.Sprintf(`document.readyState === "complete" && %s === %d`, inStrip, before+len(names)))
	b.waitForPlan()
}

// enterSetting fills in a setting: a switch, a list of choices or a text.
func (b *browser) enterSetting(name, text string) {
	b.t.Helper()
	input := `[name="` + name + `"]:not([type=hidden])`
	switch evaluateScript[string](b, `(document.querySelector('`+input+`') || {}).type || "none"`) {
	case "checkbox":
		if evaluateScript[bool](b, `document.querySelector('`+input+`').checked`) != (text == "true") {
			b.runActions("switch "+name, clickOn(`label:has(`+input+`)`))
		}
	case "select-one", "date":
		b.runActions("choose "+name, chromedp.Evaluate[chromedp.Void](fmt.Sprintf(
			`(() => { const e = document.querySelector('%s'); e.value = %q;
				e.dispatchEvent(new Event("input", {bubbles: true})); })(); undefined`, input, text)))
	case "none":
		b.t.Fatalf("the composer has no input %s", name)
	default:
		b.typeInto(input, text)
	}
}
