package static

import (
	"net/http"
	"path"
	"strconv"
	"strings"
)

// Handler returns a handler of the assets under Prefix. Responses at an address with the right hash can be cached
// forever. Any other address of an existing asset redirects to that address.
func Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		all, err := embeddedAssets()
		if err != nil {
			http.Error(w, "assets cannot be read", http.StatusInternalServerError)
			return
		}
		name, hash := splitHash(strings.TrimPrefix(r.URL.Path, Prefix))
		a, ok := all[name]
		switch {
		case !ok:
			http.NotFound(w, r)
		case hash != a.hash:
			w.Header().Set("Cache-Control", "no-cache")
			http.Redirect(w, r, hashedURL(name, a.hash), http.StatusFound) //nolint:gosec // the name is a key of our own table
		default:
			w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
			writeAsset(w, r, a)
		}
	})
}

// splitHash splits a hashed file name into name and hash: css/app.0123456789ab.css into css/app.css and 0123456789ab. A
// name without a hash is returned unchanged.
func splitHash(file string) (name, hashOrEmpty string) {
	ext := path.Ext(file)
	stem := strings.TrimSuffix(file, ext)
	hash := strings.TrimPrefix(path.Ext(stem), ".")
	if len(hash) != 12 {
		return file, ""
	}
	return strings.TrimSuffix(stem, "."+hash) + ext, hash
}

func writeAsset(w http.ResponseWriter, r *http.Request, a asset) {
	h := w.Header()
	h.Set("Content-Type", a.kind)
	h.Set("X-Content-Type-Options", "nosniff")
	body := a.body
	if a.gzip != nil {
		h.Add("Vary", "Accept-Encoding")
		if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			h.Set("Content-Encoding", "gzip")
			body = a.gzip
		}
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if r.Method == http.MethodGet {
		// An error means that the client has disconnected.
		_, _ = w.Write(body)
	}
}
