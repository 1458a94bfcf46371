package core

import "testing"

func TestNearest(t *testing.T) {
	t.Parallel()
	known := []string{"text", "title", "to", "targets", "mediaIds", "perPlatform"}
	for name, want := range map[string]string{
		"txet": "text", "Text": "text", "titel": "title", "mediaids": "mediaIds", "media_ids": "mediaIds",
		"perplatform": "perPlatform", "zzz": "", "": "", "targest": "targets", "tags": "", "tz": "", "te": "",
	} {
		if got := NearestName(name, known); got != want {
			t.Errorf("Nearest(%q): want %q, got %q", name, want, got)
		}
	}
}
