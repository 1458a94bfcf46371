package static

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// bundled is the script of every page. It contains all modules that it imports, because each request and its headers
// would delay the first page.
const bundled = "js/app.js"

// early is the script that runs before a page is drawn.
const early = "js/early.js"

// bundleScript returns a minified script that contains a module and the modules that it imports.
func bundleScript(name string) ([]byte, error) {
	result := api.Build(api.BuildOptions{
		EntryPoints: []string{Prefix + name}, Bundle: true, Format: api.FormatESModule, Charset: api.CharsetUTF8,
		MinifyWhitespace: true, MinifyIdentifiers: true, MinifySyntax: true,
		Plugins: []api.Plugin{{Name: "embedded", Setup: readImportsFromEmbedded}},
	})
	if err := joinBuildErrors(result.Errors); err != nil {
		return nil, fmt.Errorf("bundle %s: %w", name, err)
	}
	return result.OutputFiles[0].Contents, nil
}

// readImportsFromEmbedded makes a build read the modules at plain addresses from the embedded files.
func readImportsFromEmbedded(build api.PluginBuild) {
	const namespace = "embedded"
	build.OnResolve(api.OnResolveOptions{Filter: "^" + Prefix},
		func(args api.OnResolveArgs) (api.OnResolveResult, error) {
			return api.OnResolveResult{Path: args.Path, Namespace: namespace}, nil
		})
	build.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: namespace},
		func(args api.OnLoadArgs) (api.OnLoadResult, error) {
			body, err := fs.ReadFile(embedded, strings.TrimPrefix(args.Path, Prefix))
			text := string(body)
			return api.OnLoadResult{Contents: &text, Loader: api.LoaderJS}, err
		})
}

// minifyStyles returns a shorter style sheet with the same rules.
func minifyStyles(sheet []byte) ([]byte, error) {
	result := api.Transform(string(sheet), api.TransformOptions{
		Loader: api.LoaderCSS, MinifyWhitespace: true, MinifySyntax: true, Charset: api.CharsetUTF8,
	})
	if err := joinBuildErrors(result.Errors); err != nil {
		return nil, fmt.Errorf("minify styles: %w", err)
	}
	return result.Code, nil
}

// joinBuildErrors returns the messages as one error, or nil if there are none.
func joinBuildErrors(messages []api.Message) error {
	var all []error
	for _, m := range messages {
		if m.Location != nil {
			m.Text = fmt.Sprintf("%s:%d: %s", m.Location.File, m.Location.Line, m.Text)
		}
		all = append(all, errors.New(m.Text))
	}
	return errors.Join(all...)
}
