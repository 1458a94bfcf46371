//go:build screenshots

package layout_test

import (
	"flag"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/a-h/templ"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"belfry/static"
)

const stateFolder = "../../bin/screenshots/states"

// misplacedParts returns the visible parts that begin above the page, where nobody can scroll to, the icons that
// are not in the middle of their search field, the days that do not begin where their posts do, and the headings of
// last columns that are less than 12 px from the edge of their card. The hours of a week scroll by themselves.
const misplacedParts = `const extent = (part) => {
	const range = document.createRange();
	range.selectNodeContents(part);
	return range.getBoundingClientRect();
};
[
	...[...document.querySelectorAll("main *:not(.week *)")].filter((part) => {
		const { top, bottom } = part.getBoundingClientRect();
		return top + scrollY < 0 && bottom + scrollY > 0;
	}),
	...[...document.querySelectorAll(".search > .icon")].filter((icon) => {
		const [at, field] = [icon, icon.parentElement.querySelector("input")].map((part) => part.getBoundingClientRect());
		return Math.abs(at.top + at.bottom - field.top - field.bottom) > 2;
	}),
	...[...document.querySelectorAll(".post-day")].filter((day) => {
		const [heading, state] = [day.querySelector("th"), day.nextElementSibling.querySelector(".post-state")].map(extent);
		return Math.abs(heading.left - state.left) > 2;
	}),
	...[...document.querySelectorAll(".card thead th:last-child:not(:has(.unseen))")].filter((heading) =>
		extent(heading).right > heading.closest(".card").getBoundingClientRect().right - 12),
].filter((part) => part.checkVisibility()).map((part) => part.localName + "." + part.getAttribute("class")).join(", ")`

var photographed = flag.String("states", "", "regular expression: photograph only the states whose names match")

// TestScreenshotsOfStates writes pictures of every screen in every state that has a look of its own into stateFolder,
// also of those into which a service comes only by bad luck: light and dark, for a desktop and a phone.
func TestScreenshotsOfStates(t *testing.T) {
	pages := http.NewServeMux()
	pages.Handle("GET "+static.Prefix, static.Handler())
	states := newFixture(t).screens()
	chosen := regexp.MustCompile(*photographed)
	maps.DeleteFunc(states, func(name string, _ templ.Component) bool {
		return strings.HasPrefix(name, "part-") || !chosen.MatchString(name)
	})
	for name, state := range states {
		pages.Handle("GET /"+name, templ.Handler(state))
	}
	server := httptest.NewServer(pages)
	defer server.Close()
	if err := os.MkdirAll(stateFolder, 0o755); err != nil {
		t.Fatal(err)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.UserDataDir(t.TempDir()))
	ctx, stop := chromedp.NewExecAllocator(t.Context(), options...)
	defer stop()
	ctx, closeTab := chromedp.NewContext(ctx)
	defer closeTab()
	for _, name := range slices.Sorted(maps.Keys(states)) {
		for _, scheme := range []string{"light", "dark"} {
			media := emulation.SetEmulatedMediaParams{
				Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
			}
			if _, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, media); err != nil {
				t.Fatal(err)
			}
			for device, width := range map[string]int64{"desktop": 1440, "phone": 375} {
				err := chromedp.Do(ctx, chromedp.EmulateViewport(width, 900), chromedp.Navigate(server.URL+"/"+name))
				if err != nil {
					t.Fatalf("open %s: %v", name, err)
				}
				misplaced, err := chromedp.Run(ctx, chromedp.Evaluate[string](misplacedParts))
				if err != nil {
					t.Fatalf("examine %s: %v", name, err)
				}
				if misplaced != "" {
					t.Errorf("%s on a %s: misplaced: %s", name, device, misplaced)
				}
				picture, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
				if err != nil {
					t.Fatalf("photograph %s: %v", name, err)
				}
				file := filepath.Join(stateFolder, name+"-"+scheme+"-"+device+".png")
				if err := os.WriteFile(file, picture, 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}
