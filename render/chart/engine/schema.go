package engine

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"helm.sh/helm/v4/pkg/chart/common"
	helm "helm.sh/helm/v4/pkg/chart/v2"

	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/render/renderer"
)

const schemaFile = "values.schema.json"

// checkSchemas checks values by the schemas of the chart and of its enabled subcharts.
func (q request) checkSchemas(loaded *helm.Chart, values common.Values) error {
	if loaded.Schema != nil {
		renderer.At(path.Join(q.Shown, q.dirOf(loaded), schemaFile))
		if err := checkSchema(loaded.Schema, values); err != nil {
			_, what, _ := strings.Cut(err.Error(), "\n") // the first line names the schema
			what = strings.Join(strings.Fields(cmp.Or(what, err.Error())), " ")
			return fmt.Errorf("%s: the values of chart %s do not fit: %s: correct them", path.Join(q.Shown,
				q.dirOf(loaded), schemaFile), output.Line(loaded.Name()), output.Excerpt(output.Line(what), 400))
		}
	}
	for _, sub := range loaded.Dependencies() {
		if v, ok := values[sub.Name()].(map[string]any); ok {
			if err := q.checkSchemas(sub, v); err != nil {
				return err
			}
		}
	}
	return nil
}

// dirOf returns the directory of a subchart.
func (q request) dirOf(loaded *helm.Chart) string {
	for _, f := range loaded.Raw {
		if f.Name == schemaFile {
			return path.Dir(q.Files[f.ModTime.Unix()].Path)
		}
	}
	return ""
}

func checkSchema(schema []byte, values common.Values) error {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return err
	}
	const name = "file:///" + schemaFile
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(elsewhere{})
	if err := compiler.AddResource(name, doc); err != nil {
		return err
	}
	compiled, err := compiler.Compile(name)
	if err != nil {
		return err
	}
	return compiled.Validate(values.AsMap())
}

// elsewhere replaces schemas that are not in the chart by one that takes every value.
type elsewhere struct{}

// Load implements [jsonschema.URLLoader].
func (elsewhere) Load(string) (any, error) { return true, nil }
