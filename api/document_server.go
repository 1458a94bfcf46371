package api

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"belfry/internal/contract"
	"belfry/internal/core"
	"belfry/internal/network"
)

// addSchemasOfThisServer adds schemas to the document for what the Go types of the records do not contain: this
// server's networks with their settings, and the lists of codes. Requests are not checked against these additions,
// because each network checks its own settings.
func (a *API) addSchemasOfThisServer(r huma.Registry) error {
	blocks, overrides, limits := map[string]*huma.Schema{}, map[string]*huma.Schema{}, map[string]*huma.Schema{}
	var alternatives []*huma.Schema
	for _, rules := range a.cfg.Networks.Rules() {
		d := rules.Describe()
		name := "Settings" + strings.ToUpper(string(d.ID[:1])) + string(d.ID[1:])
		r.Map()[name] = settingsSchema(d)
		ref := &huma.Schema{Ref: schemaPrefix + name}
		blocks[string(d.ID)] = ref
		limits[string(d.ID)] = r.Schema(reflect.TypeFor[contract.NetworkLimits](), true, "")
		alternatives = append(alternatives, ref)
	}
	for _, n := range a.cfg.Networks.Connectors() {
		overrides[string(n.Describe().ID)] = &huma.Schema{Ref: schemaPrefix + "Override"}
	}
	byPlatform := func(properties map[string]*huma.Schema, words string) *huma.Schema {
		return &huma.Schema{Type: huma.TypeObject, Properties: properties, AdditionalProperties: false, Description: words}
	}
	platforms := &huma.Schema{Type: huma.TypeString, Enum: enumOf(slices.Sorted(maps.Keys(blocks)))}
	plans := &huma.Schema{Type: huma.TypeString, Enum: enumOf(slices.Sorted(maps.Keys(core.DefaultPlans())))}
	perPlatform := byPlatform(blocks,
		"Settings for each network. The settings of a network without a target are checked but not used.")
	overridden := byPlatform(overrides,
		"For each network, the text, title or tags that replace those in the request.")
	connectable := &huma.Schema{Type: huma.TypeString, Enum: enumOf(slices.Sorted(maps.Keys(overrides)))}

	return replaceProperties(r, map[string]*huma.Schema{
		"PlanPosts.perPlatform": perPlatform, "CreatePosts.perPlatform": perPlatform,
		"PlanPosts.overrides": overridden, "CreatePosts.overrides": overridden,
		"EditPost.settings": byPlatform(blocks,
			"Settings, under the name of the post's network. They replace all stored settings."),
		"Post.settings": {AnyOf: alternatives, Description: "The settings for the post's network."},
		"Post.platform": platforms, "Account.platform": platforms, "PlanRow.platform": platforms,
		"Connect.platform": connectable,
		"Limits.limits":    byPlatform(limits, "The limits of each network."),
		"Workspace.plan":   plans, "Usage.plan": plans,
		"Event.kind": {Type: huma.TypeString, Enum: enumOf(eventKinds)},
		"Error.code": {Type: huma.TypeString, Enum: enumOf(core.Codes), Description: "See the *Error codes* section."},
		"Issue.code": {
			Type: huma.TypeString, Enum: enumOf(listIssueAndWarningCodes()),
			Description: "See the *Plan issues* and *Plan warnings* sections.",
		},
	})
}

// replaceProperties replaces the schemas of properties. The keys of properties have the form RECORD.PROPERTY.
func replaceProperties(r huma.Registry, schemaByPropertyPath map[string]*huma.Schema) error {
	for path, s := range schemaByPropertyPath {
		record, property, _ := strings.Cut(path, ".")
		owner, err := getRecordSchema(r, record)
		if err != nil {
			return err
		}
		if owner.Properties[property] == nil {
			return fmt.Errorf("the OpenAPI description has no property %s", path)
		}
		owner.Properties[property] = s
	}
	return nil
}

// eventKinds are the kinds of events that the API shows (Spec §2, Post).
var eventKinds = []core.EventKind{
	core.EventCreated, core.EventQueued, core.EventPublishing, core.EventLive, core.EventFailed, core.EventRetried,
	core.EventCancelled, core.EventRescheduled, core.EventRetriedByWorker,
}

func listIssueAndWarningCodes() []core.IssueCode {
	var out []core.IssueCode
	for _, issue := range core.AllIssueTexts() {
		out = append(out, issue.Code)
	}
	return slices.Compact(out) // issues with the same code but different messages are adjacent
}

func enumOf[T ~string](list []T) []any {
	out := make([]any, 0, len(list))
	for _, w := range list {
		out = append(out, string(w))
	}
	return out
}

// settingsSchema returns the schema of a network's settings, from its table of fields.
func settingsSchema(d network.Description) *huma.Schema {
	s := &huma.Schema{
		Type: huma.TypeObject, Description: "Settings for a post on " + d.Name + ".",
		Properties: map[string]*huma.Schema{}, AdditionalProperties: false,
	}
	for _, f := range d.Fields {
		property := fieldSchema(f)
		property.Title, property.Description = f.Label, f.Help
		if f.VideoTime {
			property.Description = "Milliseconds from the start of the video, such as 1500. " + f.Help
		}
		if f.FileIndex {
			property.Description = "The index of a file in the post, which is 0 for the first file. " + f.Help
		}
		if f.APIHelp != "" {
			property.Description += " " + f.APIHelp
		}
		if f.Kind == network.FieldChoice && f.Pattern != nil {
			property.Description += " " + describeNamedChoices(f)
		}
		if f.Default != "" {
			property.Default = f.Default
			if f.Kind == network.FieldSwitch {
				property.Default = f.Default == "true"
			}
		}
		s.Properties[f.Name] = property
	}
	return s
}

func fieldSchema(f network.Field) *huma.Schema {
	most := contract.NilIfZero(f.Max)
	pattern := ""
	if f.Pattern != nil {
		pattern = f.Pattern.String()
	}
	switch {
	case f.Ignored:
		return &huma.Schema{}
	case f.Kind == network.FieldChoice && f.Pattern == nil:
		s := &huma.Schema{Type: huma.TypeString}
		for _, choice := range f.Choices {
			s.Enum = append(s.Enum, choice.Value)
		}
		return s
	case f.Kind == network.FieldSwitch:
		return &huma.Schema{Type: huma.TypeBoolean}
	case f.Kind == network.FieldList:
		return &huma.Schema{
			Type: huma.TypeArray, Items: &huma.Schema{Type: huma.TypeString, Pattern: pattern},
			MaxItems: most,
		}
	case f.Kind == network.FieldNumber:
		return &huma.Schema{Type: huma.TypeInteger, Minimum: new(0.0), Maximum: contract.NilIfZero(float64(f.Max))}
	}
	return &huma.Schema{Type: huma.TypeString, MaxLength: most, Pattern: pattern, Format: formats[f.Kind]}
}

// describeNamedChoices returns sentences about the values that have a name, of a choice that also accepts others.
func describeNamedChoices(f network.Field) string {
	named := make([]string, len(f.Choices))
	for i, c := range f.Choices {
		named[i] = c.Value + " is " + c.Label
	}
	return strings.Join(named, ", ") + ". Other values that match the pattern are sent to the network unchanged."
}

// formats contains the OpenAPI formats of text fields by kind.
var formats = map[network.FieldKind]string{network.FieldURL: "uri", network.FieldDate: "date"}
