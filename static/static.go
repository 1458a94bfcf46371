// Package static holds what browsers load beside the pages: styles, scripts, the font and the marks of
// networks. Each is embedded and has an address that changes with its content.
package static

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

//go:embed icon.svg css js fonts vendor networks
var embedded embed.FS

// Prefix is the path under which Handler serves assets.
const Prefix = "/static/"

// asset is a file to serve.
type asset struct {
	body []byte
	gzip []byte // nil when it would not be smaller
	hash string
	kind string // content type
}

// assetTable contains the assets that have been read, by name; each is read once.
type assetTable map[string]asset

var kinds = map[string]string{
	".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml",
	".woff2": "font/woff2",
}

// A style sheet or script refers to another asset by its plain address.
var reference = regexp.MustCompile(Prefix + `[a-z0-9/_.-]+\.[a-z0-9]+`)

func (b assetTable) loadAsset(name string) (asset, error) {
	if a, ok := b[name]; ok {
		return a, nil
	}
	kind, ok := kinds[path.Ext(name)]
	if !ok {
		return asset{}, fs.ErrNotExist
	}
	body, err := b.readSource(name)
	if err != nil {
		return asset{}, err
	}
	if strings.HasPrefix(kind, "text/") && !strings.HasPrefix(name, "vendor/") {
		if body, err = b.resolveReferences(name, body); err != nil {
			return asset{}, err
		}
	}
	sum := sha256.Sum256(body)
	a := asset{body: body, gzip: gzipIfSmaller(body, kind), hash: hex.EncodeToString(sum[:6]), kind: kind}
	b[name] = a
	return a, nil
}

// layers is the style sheet that puts the layers in order, so it comes first.
const layers = "css/tokens.css"

// readSource returns the bytes of a file. The style sheet consists of all files in css.
func (b assetTable) readSource(name string) ([]byte, error) {
	if name != "app.css" {
		return fs.ReadFile(embedded, name)
	}
	sheets, err := fs.Glob(embedded, "css/*.css")
	if err != nil {
		return nil, err
	}
	sheets = slices.DeleteFunc(sheets, func(name string) bool { return name == layers })
	var all bytes.Buffer
	for _, sheet := range slices.Insert(sheets, 0, layers) {
		body, err := fs.ReadFile(embedded, sheet)
		if err != nil {
			return nil, err
		}
		all.Write(body)
	}
	return all.Bytes(), nil
}

// resolveReferences replaces the plain addresses in an asset with hashed ones.
func (b assetTable) resolveReferences(name string, body []byte) ([]byte, error) {
	var failed error
	resolved := reference.ReplaceAllFunc(body, func(found []byte) []byte {
		other := strings.TrimPrefix(string(found), Prefix)
		a, err := b.loadAsset(other)
		if err != nil {
			failed = fmt.Errorf("%s names %s: %w", name, other, err)
			return found
		}
		return []byte(hashedURL(other, a.hash))
	})
	return resolved, failed
}

// gzipIfSmaller returns the compressed form of a text, or nil for a format that is already compressed.
func gzipIfSmaller(body []byte, kind string) []byte {
	if kind == kinds[".woff2"] {
		return nil
	}
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil
	}
	if _, err = w.Write(body); err != nil || w.Close() != nil || out.Len() >= len(body) {
		return nil
	}
	return out.Bytes()
}

// hashedURL inserts the hash before the extension: app.css is /static/app.<hash>.css.
func hashedURL(name, hash string) string {
	ext := path.Ext(name)
	return Prefix + strings.TrimSuffix(name, ext) + "." + hash + ext
}

// embeddedAssets contains every embedded asset by its plain name, and is built when it is first used.
var embeddedAssets = sync.OnceValues(func() (map[string]asset, error) {
	b := assetTable{}
	err := fs.WalkDir(embedded, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || kinds[path.Ext(name)] == "" {
			return err
		}
		_, err = b.loadAsset(name)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read embedded assets: %w", err)
	}
	if _, err = b.loadAsset("app.css"); err != nil {
		return nil, fmt.Errorf("read embedded assets: %w", err)
	}
	return b, nil
})

// URL returns the address of an asset: URL("app.css"). An unknown name keeps its plain address, which is not found; a
// test checks every name that views use.
func URL(name string) string {
	all, err := embeddedAssets()
	if a, ok := all[name]; err == nil && ok {
		return hashedURL(name, a.hash)
	}
	return Prefix + name
}

var token = regexp.MustCompile(`(?m)^\s+--([a-z0-9-]+):`)

// Tokens returns the names of the custom properties of the design system, without the dashes, in their order.
func Tokens() (names []string) {
	body, err := fs.ReadFile(embedded, layers)
	if err != nil {
		return nil
	}
	for _, found := range token.FindAllSubmatch(body, -1) {
		names = append(names, string(found[1]))
	}
	return names
}

// NetworkIcon returns the icon of a network as SVG markup, or the generic one.
func NetworkIcon(platform string) string {
	for _, name := range []string{platform, "generic"} {
		if body, err := fs.ReadFile(embedded, "networks/"+name+".svg"); err == nil {
			return string(body)
		}
	}
	return ""
}
