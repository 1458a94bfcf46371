package network_test

import (
	"testing"

	"belfry/internal/network"
)

func TestTagsAreAppendedWhereTheTextLacksThem(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		tags []string
		want string
	}{
		{"Fresh bread.", nil, "Fresh bread."},
		{"Fresh bread.", []string{"bakery", "harbour"}, "Fresh bread.\n\n#bakery #harbour"},
		{"Fresh #bread today.", []string{"bread", "harbour"}, "Fresh #bread today.\n\n#harbour"},
		{"Fresh #Bread", []string{"bread", "#BREAD", "##bread"}, "Fresh #Bread"},
		{"Fresh #breadmaker", []string{"bread"}, "Fresh #breadmaker\n\n#bread"},
		{"Our #rye-bread, our #c++!", []string{"rye-bread", "C++", "rye"}, "Our #rye-bread, our #c++!"},
		{"#rye-breads", []string{"rye-bread"}, "#rye-breads\n\n#rye-bread"},
		{"", []string{"bread"}, "#bread"},
		{"Хлеб", []string{"свежий хлеб", " ", "#"}, "Хлеб\n\n#свежийхлеб"},
		{"a", []string{"x", "X"}, "a\n\n#x"},
		{"ends with newline\n", []string{"x"}, "ends with newline\n\n\n#x"},
	} {
		if got := network.AppendMissingTags(c.text, c.tags); got != c.want {
			t.Errorf("%q with %q: want %q, got %q", c.text, c.tags, c.want, got)
		}
	}
}

func TestLinksCountOnce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text   string
		beside []string
		want   int
	}{
		{"no link", nil, 0},
		{"https://a.example and (https://a.example), “https://a.example”.", nil, 1},
		{"https://a.example https://a.example/ HTTPS://b.example", nil, 3},
		{"www.a.example www.b.example, awww.c.example", nil, 2},
		{"http://a.example https://a.example", nil, 2},
		{"https://a.example", []string{"https://a.example", "https://b.example", ""}, 2},
	} {
		if got := network.CountDistinctLinks(c.text, c.beside...); got != c.want {
			t.Errorf("%q: want %d, got %d", c.text, c.want, got)
		}
	}
}
