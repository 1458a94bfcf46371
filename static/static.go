// Package static contains the assets of the pages: styles, scripts, the font and the icons of networks. They are
// embedded, and their addresses change with their content.
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
	gzip []byte // the compressed body; nil if it is not smaller
	hash string
	kind string // the content type
}

// assetTable contains the assets that have been loaded, by name.
type assetTable map[string]asset

var kinds = map[string]string{
	".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml",
	".woff2": "font/woff2",
}

// reference matches the plain address of an asset, by which style sheets and scripts refer to it.
var reference = regexp.MustCompile(Prefix + `[a-z0-9/_.-]+\.[a-z0-9]+`)

// loadAndCacheAsset reads, compresses and hashes an asset, or returns the one that it loaded before. It also loads the
// assets to which the asset refers.
func (b assetTable) loadAndCacheAsset(name string) (asset, error) {
	if a, ok := b[name]; ok {
		return a, nil
	}
	kind, ok := kinds[path.Ext(name)]
	if !ok {
		return asset{}, fs.ErrNotExist
	}
	body, err := b.readOrBuildSource(name)
	if err != nil {
		return asset{}, err
	}
	if strings.HasPrefix(kind, "text/") && !strings.HasPrefix(name, "vendor/") {
		if body, err = b.replaceReferencesByHashedURLs(name, body); err != nil {
			return asset{}, err
		}
	}
	sum := sha256.Sum256(body)
	a := asset{body: body, gzip: gzipIfSmaller(body, kind), hash: hex.EncodeToString(sum[:6]), kind: kind}
	b[name] = a
	return a, nil
}

// joined is the style sheet of every page. It contains all files in the folder css.
const joined = "app.css"

// layers is the style sheet that sets the order of the layers, so it must be the first.
const layers = "css/tokens.css"

// readOrBuildSource returns the bytes of a file. It bundles the modules of a page's script, and joins the style sheets
// and the icons of the networks.
func (b assetTable) readOrBuildSource(name string) ([]byte, error) {
	switch name {
	case bundled:
		return bundleScript(name)
	case joined:
		return joinAndMinifyStyles()
	case sprite:
		return joinNetworkIcons()
	}
	return fs.ReadFile(embedded, name)
}

// joinAndMinifyStyles returns all files in the folder css as one style sheet, with the order of the layers first.
func joinAndMinifyStyles() ([]byte, error) {
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
	rules, err := networkIconRules()
	if err != nil {
		return nil, err
	}
	all.WriteString(rules)
	return minifyStyles(all.Bytes())
}

// replaceReferencesByHashedURLs replaces the plain addresses in an asset with hashed ones.
func (b assetTable) replaceReferencesByHashedURLs(name string, body []byte) ([]byte, error) {
	var failed error
	resolved := reference.ReplaceAllFunc(body, func(found []byte) []byte {
		other := strings.TrimPrefix(string(found), Prefix)
		a, err := b.loadAndCacheAsset(other)
		if err != nil {
			failed = fmt.Errorf("%s refers to %s: %w", name, other, err)
			return found
		}
		return []byte(hashedURL(other, a.hash))
	})
	return resolved, failed
}

// gzipIfSmaller returns the body compressed with gzip, or nil if that is not smaller. It does not try fonts, which are
// already compressed.
func gzipIfSmaller(body []byte, contentType string) (packedOrNil []byte) {
	if contentType == kinds[".woff2"] {
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

// hashedURL returns the address of an asset with its hash before the extension: /static/app.<hash>.css for app.css.
func hashedURL(name, hash string) string {
	ext := path.Ext(name)
	return Prefix + strings.TrimSuffix(name, ext) + "." + hash + ext
}

// embeddedAssets returns the assets that pages load, by their plain names. Style sheets, modules and icons of networks
// are included only as parts of joined, bundled and sprite. An exception is layers, from which the pages of the
// simulated networks take their colors and font. The first call loads the assets.
var embeddedAssets = sync.OnceValues(func() (map[string]asset, error) {
	b := assetTable{}
	names := []string{joined, layers, sprite, bundled, early}
	err := fs.WalkDir(embedded, ".", func(name string, d fs.DirEntry, err error) error {
		isPart := strings.HasPrefix(name, "css/") || strings.HasPrefix(name, "js/") || strings.HasPrefix(name, "networks/")
		if err == nil && !d.IsDir() && !isPart && kinds[path.Ext(name)] != "" {
			names = append(names, name)
		}
		return err
	})
	for _, name := range names {
		if err == nil {
			_, err = b.loadAndCacheAsset(name)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("read embedded assets: %w", err)
	}
	return b, nil
})

// URL returns the hashed address of an asset, such as "app.css". For an unknown name, it returns an address that does
// not exist; a test checks all names that views use.
func URL(name string) string {
	all, err := embeddedAssets()
	if a, ok := all[name]; err == nil && ok {
		return hashedURL(name, a.hash)
	}
	return Prefix + name
}

var token = regexp.MustCompile(`(?m)^\s+--([a-z0-9-]+):`)

// DesignTokenNames returns the names of the design system's custom properties, without the leading dashes, in their
// order.
func DesignTokenNames() (names []string) {
	body, err := fs.ReadFile(embedded, layers)
	if err != nil {
		return nil
	}
	for _, found := range token.FindAllSubmatch(body, -1) {
		names = append(names, string(found[1]))
	}
	return names
}
