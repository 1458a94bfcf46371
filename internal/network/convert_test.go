package network_test

import (
	"testing"

	"belfry/internal/core"
	"belfry/internal/network"
)

func TestAPlanSaysWhichImagesAreConverted(t *testing.T) {
	t.Parallel()
	d := limited()
	webp := func(name string) core.Media {
		return photo(func(m *core.Media) { m.Name, m.Mime, m.Convertible = name, "image/webp", true })
	}
	for want, media := range map[string][]core.Media{
		"": {photo(nil)},
		"Belfry sends a.webp to Somewhere in JPEG format.":                    {webp("a.webp"), photo(nil)},
		"Belfry sends a.webp and 1 other image to Somewhere in JPEG format.":  {webp("a.webp"), webp("b.webp")},
		"Belfry sends a.webp and 2 other images to Somewhere in JPEG format.": {webp("a.webp"), webp("b.webp"), webp("c.webp")},
	} {
		draft := network.Draft{Media: media}
		issues, warnings := network.CheckDraftAndFactsWith(d, draft, func(_ struct{}, f *network.Findings) { f.CheckLimits(d, "photo", draft) })
		got := ""
		for _, w := range warnings {
			got += w.Message
		}
		if got != want || len(issues) > 0 {
			t.Errorf("want %q, got %q, %v", want, got, issues)
		}
	}
}
