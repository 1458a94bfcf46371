package apptest

import (
	"net/http"
	"net/http/httptest"

	"belfry/internal/core"
)

// startMediaServer serves files at their signed addresses until the test ends, like the service itself, and sets
// h.MediaURL.
func (h *Harness) startMediaServer() {
	h.t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /media/{token}/{name}", func(w http.ResponseWriter, r *http.Request) {
		f, err := h.App.Intake().AwaitGateAndOpenFile(r.Context(), r.PathValue("token"))
		if core.CodeOf(err) == core.CodeNotFound && err != nil {
			http.NotFound(w, r)
			return
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		defer f.Content.Close()
		w.Header().Set("Content-Type", f.Mime)
		http.ServeContent(w, r, "", f.Modified, f.Content)
	})
	server := httptest.NewServer(mux)
	h.t.Cleanup(server.Close)
	h.MediaURL = server.URL
}
