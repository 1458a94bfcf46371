package static

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// sprite is one picture with the icons of all networks, each below the one before. A page may show hundreds of these
// icons; as backgrounds, they need no markup.
const sprite = "networks.svg"

// generic is the icon of a network that has none of its own. It is the first in the sprite.
const generic = "generic"

// networkIconNames returns the names of the icons in the folder networks, in the order of the sprite.
func networkIconNames() ([]string, error) {
	files, err := fs.Glob(embedded, "networks/*.svg")
	if err != nil {
		return nil, err
	}
	names := []string{generic}
	for _, file := range files {
		if name := strings.TrimSuffix(path.Base(file), ".svg"); name != generic {
			names = append(names, name)
		}
	}
	return names, nil
}

// joinNetworkIcons returns the sprite. Each icon is 16 units wide and high.
func joinNetworkIcons() ([]byte, error) {
	names, err := networkIconNames()
	if err != nil {
		return nil, err
	}
	var all strings.Builder
	fmt.Fprintf(&all, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 %d">`, 16*len(names))
	for i, name := range names {
		icon, err := fs.ReadFile(embedded, "networks/"+name+".svg")
		if err != nil {
			return nil, err
		}
		place := fmt.Sprintf(`<svg y="%d" width="16" height="16" `, 16*i)
		all.WriteString(strings.Replace(strings.TrimSpace(string(icon)), "<svg ", place, 1))
	}
	all.WriteString("</svg>")
	return []byte(all.String()), nil
}

// networkIconRules returns the CSS that shows each network's part of the sprite. Without a rule of its own, an icon is
// the generic one.
func networkIconRules() (string, error) {
	names, err := networkIconNames()
	if err != nil {
		return "", err
	}
	var rules strings.Builder
	rules.WriteString("@layer parts {")
	for i, name := range names[1:] {
		percent := 100 * float64(i+1) / float64(len(names)-1)
		fmt.Fprintf(&rules, `.mark[data-platform=%q] { background-position-y: %.6g%% }`, name, percent)
	}
	rules.WriteString("}")
	return rules.String(), nil
}
