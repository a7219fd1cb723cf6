package render

import (
	"errors"
	"fmt"
	"strings"

	"carvel.dev/ytt/pkg/filepos"
	"carvel.dev/ytt/pkg/yamlmeta"

	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/render/workload"
)

// setEnv adds the variables of release.env, or replaces those that the templates set.
func setEnv(docs []document, p *product.Product, l *lock.Lock) error {
	var errs []error
	for _, w := range p.Release.Env {
		c, err := findContainer(docs, w)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: release.env: %w", w.Pos, err))
			continue
		}
		for _, v := range w.Variables {
			value, err := expand(v.Value, p, l)
			if err != nil {
				errs = append(errs, fmt.Errorf("%s: release.env: %s: %w", v.Pos, v.Name, err))
				continue
			}
			setVariable(c, v.Name, value, yttPosition(v.Pos))
		}
	}
	return errors.Join(errs...)
}

// yttPosition returns p for a node of ytt, which has no column.
func yttPosition(p yamlfile.Pos) *filepos.Position {
	if p.Line == 0 { // a product that was not read from a file
		return filepos.NewUnknownPositionInFile(p.File)
	}
	return filepos.NewPositionInFile(p.Line, p.File)
}

// findContainer returns the container of a workload.
func findContainer(docs []document, w product.WorkloadEnv) (*yamlmeta.Map, error) {
	var near []string
	for _, d := range docs {
		path := workload.SpecPath(d.Kind)
		if path == nil {
			continue
		}
		near = append(near, d.String())
		if d.Kind != w.Kind || d.Namespace != w.Namespace || d.Name != w.Name {
			continue
		}
		spec := d.node(path)
		var names []string
		for _, list := range []string{"containers", "initContainers"} {
			containers, _ := child(spec, list).(*yamlmeta.Array)
			if containers == nil {
				continue
			}
			for _, i := range containers.Items {
				c, _ := i.Value.(*yamlmeta.Map)
				if name, _ := child(c, "name").(string); c != nil && name == w.Container {
					return c, nil
				} else if c != nil {
					names = append(names, name)
				}
			}
		}
		return nil, fmt.Errorf("%s has no container %q: name one of %s", d, w.Container, strings.Join(names, ", "))
	}
	wanted := document{Kind: w.Kind, Namespace: w.Namespace, Name: w.Name}
	return nil, fmt.Errorf("the templates make no %s: name one of %s", wanted, strings.Join(near, ", "))
}

// setVariable replaces a container's variable in place, or appends it.
func setVariable(c *yamlmeta.Map, name, value string, pos *filepos.Position) {
	variable := &yamlmeta.Map{Position: pos, Items: []*yamlmeta.MapItem{
		{Key: "name", Value: name, Position: pos},
		{Key: "value", Value: value, Position: pos},
	}}
	env, _ := child(c, "env").(*yamlmeta.Array)
	if env == nil {
		env = &yamlmeta.Array{Position: pos}
		set(c, "env", env, pos)
	}
	for _, i := range env.Items {
		if child(i.Value, "name") == name {
			i.Value, i.Position = variable, pos
			return
		}
	}
	env.Items = append(env.Items, &yamlmeta.ArrayItem{Value: variable, Position: pos})
}

func set(m *yamlmeta.Map, key string, value any, pos *filepos.Position) {
	for _, i := range m.Items {
		if i.Key == key {
			i.Value = value
			return
		}
	}
	m.Items = append(m.Items, &yamlmeta.MapItem{Key: key, Value: value, Position: pos})
}
