package static

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func get(t *testing.T, h http.Handler, address string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if len(header) == 2 {
		r.Header.Set(header[0], header[1])
	}
	answer := httptest.NewRecorder()
	h.ServeHTTP(answer, r)
	return answer
}

// Groups and the design page once named different lists alike, so that the colors there became huge.
func TestEachClassIsStyledInOneSheet(t *testing.T) {
	t.Parallel()
	sheets, err := fs.Glob(embedded, "css/*.css")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, sheet := range sheets {
		text, err := fs.ReadFile(embedded, sheet)
		if err != nil {
			t.Fatal(err)
		}
		for _, rule := range regexp.MustCompile(`(?m)^  \.([a-z-]+) \{$`).FindAllStringSubmatch(string(text), -1) {
			if other, ok := found[rule[1]]; ok && other != sheet {
				t.Errorf("%s and %s both style .%s", other, sheet, rule[1])
			}
			found[rule[1]] = sheet
		}
	}
}

func TestEveryAssetHasAnAddressThatMayBeKeptForEver(t *testing.T) {
	t.Parallel()
	all, err := embeddedAssets()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"app.css", "css/tokens.css", "fonts/inter-latin-ext.woff2", "fonts/inter-latin.woff2", "icon.svg", "js/app.js", "js/early.js",
		"networks.svg", "vendor/htmx.min.js", "vendor/idiomorph.min.js",
	}
	slices.Sort(want)
	if got := slices.Sorted(maps.Keys(all)); !slices.Equal(got, want) {
		t.Errorf("the assets are %v", got)
	}
	for name, a := range all {
		answer := get(t, Handler(), URL(name))
		if answer.Code != http.StatusOK || answer.Header().Get("Cache-Control") != "public, max-age=31536000, immutable" {
			t.Errorf("%s: %d %v", name, answer.Code, answer.Header())
		}
		if answer.Header().Get("Content-Type") != a.kind || answer.Header().Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %v", name, answer.Header())
		}
		if !bytes.Equal(answer.Body.Bytes(), a.body) {
			t.Errorf("%s: other bytes", name)
		}
	}
}

func TestTheStyleSheetNamesAssetsByTheirFinalAddress(t *testing.T) {
	t.Parallel()
	found := regexp.MustCompile(`/static/[^")]+`).FindAllString(get(t, Handler(), URL("app.css")).Body.String(), -1)
	if len(found) == 0 {
		t.Error("it names nothing")
	}
	for _, address := range found {
		if answer := get(t, Handler(), address); answer.Code != http.StatusOK {
			t.Errorf("it names %s, which answers %d", address, answer.Code)
		}
	}
}

func TestOtherAddresses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, address string
		status        int
		location      string
	}{
		{"a plain address leads to the right one", "/static/app.css", http.StatusFound, URL("app.css")},
		{"an old hash does too", "/static/app.000000000000.css", http.StatusFound, URL("app.css")},
		{"an unknown asset is not found", "/static/nothing.css", http.StatusNotFound, ""},
		{"a module is only a part of the script", "/static/js/live.js", http.StatusNotFound, ""},
		{"a style sheet is only a part of app.css", "/static/css/base.css", http.StatusNotFound, ""},
		{"Go source is no asset", "/static/static.go", http.StatusNotFound, ""},
		{"licences are no assets", "/static/vendor/htmx.LICENSE", http.StatusNotFound, ""},
		{"a folder is no asset", "/static/js/", http.StatusNotFound, ""},
		{"nobody climbs out", "/static/../go.mod", http.StatusNotFound, ""},
	}
	for _, test := range tests {
		answer := get(t, Handler(), test.address)
		if answer.Code != test.status || answer.Header().Get("Location") != test.location {
			t.Errorf("%s: %d %s", test.name, answer.Code, answer.Header().Get("Location"))
		}
	}
}

func TestTextIsCompressed(t *testing.T) {
	t.Parallel()
	answer := get(t, Handler(), URL("app.css"), "Accept-Encoding", "br, gzip")
	if answer.Header().Get("Content-Encoding") != "gzip" || answer.Header().Get("Vary") != "Accept-Encoding" {
		t.Fatal(answer.Header())
	}
	r, err := gzip.NewReader(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	if plain := get(t, Handler(), URL("app.css")).Body.Bytes(); !bytes.Equal(body, plain) {
		t.Error("the compressed form is another style sheet")
	}
}

func TestAPageLoadsOneScriptInsteadOfManyModules(t *testing.T) {
	t.Parallel()
	script := get(t, Handler(), URL("js/app.js")).Body.String()
	if strings.Contains(script, Prefix) || strings.Contains(script, "import ") {
		t.Error("the script imports modules")
	}
	if !strings.Contains(script, "defineExtension") {
		t.Error("the script lacks the modules")
	}
}

// The first visit loads the style sheet, the scripts, the font and the icons: 150 KB at most, with the page.
func TestTheFirstLoadIsLight(t *testing.T) {
	t.Parallel()
	total := 0
	for _, name := range []string{
		"app.css", "js/early.js", "vendor/htmx.min.js", "vendor/idiomorph.min.js", "js/app.js", "fonts/inter-latin.woff2",
		"icon.svg", sprite,
	} {
		answer := get(t, Handler(), URL(name), "Accept-Encoding", "gzip")
		if answer.Code != http.StatusOK {
			t.Errorf("%s: %d", name, answer.Code)
		}
		total += answer.Body.Len()
	}
	if total > 110<<10 {
		t.Errorf("%d bytes", total)
	}
	t.Logf("first load without the page: %d bytes", total)
}

func TestTheStyleSheetBeginsWithTheOrderOfItsLayers(t *testing.T) {
	t.Parallel()
	body := get(t, Handler(), URL("app.css")).Body.String()
	order, block := strings.Index(body, "@layer tokens,base"), strings.Index(body, "{")
	if order < 0 || order > block {
		t.Errorf("the order of the layers is at %d, the first block at %d", order, block)
	}
	if n := strings.Count(body, "@layer tokens,base"); n != 1 {
		t.Errorf("the order stands %d times", n)
	}
}

func TestEachNetworkShowsItsOwnPartOfTheSpriteAndOthersTheGenericOne(t *testing.T) {
	t.Parallel()
	files, err := fs.Glob(embedded, "networks/*.svg")
	if err != nil {
		t.Fatal(err)
	}
	picture := get(t, Handler(), URL(sprite)).Body.String()
	sheet := get(t, Handler(), URL(joined)).Body.String()
	if !strings.Contains(sheet, URL(sprite)) {
		t.Error("the style sheet does not show the sprite")
	}
	for _, file := range files {
		name := strings.TrimSuffix(path.Base(file), ".svg")
		top := 0.0 // where an icon without a rule is shown
		rule := regexp.MustCompile(`\.mark\[data-platform="?` + name + `"?\]\{background-position-y:([0-9.]+)%\}`)
		if found := rule.FindStringSubmatch(sheet); found != nil {
			percent, err := strconv.ParseFloat(found[1], 64)
			if err != nil {
				t.Fatal(err)
			}
			top = 16 * float64(len(files)-1) * percent / 100
		} else if name != generic {
			t.Errorf("%s has no rule", name)
		}
		drawing, err := fs.ReadFile(embedded, file)
		if err != nil {
			t.Fatal(err)
		}
		_, want, _ := strings.Cut(strings.TrimSpace(string(drawing)), `viewBox="0 0 16 16"`)
		if place := fmt.Sprintf(`<svg y="%.0f" width="16" height="16" viewBox="0 0 16 16"`, top); !strings.Contains(picture, place+want) {
			t.Errorf("at %.0f, the sprite does not show %s", top, name)
		}
	}
}
