package groups

import (
	"encoding/json"
	"os"
	"testing"
)

// The orange of a demo group was not the one in the palette, and people could not tell the two apart.
func TestDemoGroupsHaveColorsOfThePalette(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../../cmd/belfry/demo/brands.json")
	if err != nil {
		t.Fatal(err)
	}
	var brands []struct{ Name, Color string }
	if err := json.Unmarshal(data, &brands); err != nil {
		t.Fatal(err)
	}
	for _, brand := range brands {
		if len((FormModel{Color: brand.Color}).offeredColors()) != len(palette) {
			t.Errorf("the color %s of %s is not in the palette", brand.Color, brand.Name)
		}
	}
}
