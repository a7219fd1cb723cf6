package product

import (
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/imagename"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// allDestinations selects every destination of slipway.yaml.
const allDestinations = "all"

// everyDestination fills in all destinations of slipway.yaml, whatever the environment selects.
func (c *checker) everyDestination() {
	var values []string
	if len(c.in.Destinations) > 0 {
		values = []string{allDestinations}
	}
	c.destinations(values, func(string) string { return "" })
}

// destinations fills in the destinations that the values of -registry, or else SLIPWAY_REGISTRY,
// select, in their order: the first is the primary one.
func (c *checker) destinations(values []string, getenv func(string) string) {
	declared := c.declaredDestinations()
	from := "-registry"
	if len(values) == 0 {
		from = "SLIPWAY_REGISTRY"
		for s := range strings.SplitSeq(getenv(from), ",") {
			if s = strings.TrimSpace(s); s != "" {
				values = append(values, s)
			}
		}
	}
	for _, v := range values {
		if v == "" {
			continue
		}
		output.Account(v) // whose password no message may show
		for _, d := range c.selected(from, v, declared) {
			same := func(o Destination) bool { return sameRegistry(o.Registry, d.Registry) }
			if slices.ContainsFunc(c.out.Destinations, same) {
				c.Usage("%s names %s twice: keep one", from, d.Registry)
				continue
			}
			c.out.Destinations = append(c.out.Destinations, d.Destination)
			c.repositories = append(c.repositories, d.repository)
		}
	}
	for _, d := range declared {
		same := func(o Destination) bool { return sameRegistry(o.Registry, d.Registry) }
		reported := func(o destination) bool { return same(o.Destination) }
		if !slices.ContainsFunc(c.out.Destinations, same) && !slices.ContainsFunc(c.unselected, reported) {
			c.unselected = append(c.unselected, d)
		}
	}
	if len(c.out.Destinations) > 0 {
		c.out.Registry = c.out.Destinations[0].Registry
	}
}

// destination is a destination of slipway.yaml.
type destination struct {
	Destination

	repository *string // its template in slipway.yaml; nil without one
}

// declaredDestinations reads the destinations of slipway.yaml.
func (c *checker) declaredDestinations() []destination {
	in := c.in.Destinations
	c.collect("destination", &c.in.Destinations, each(in, func(d *destinationYAML) *string { return &d.Name }),
		destinationForm)
	var all []destination
	for i := range in {
		d := &in[i]
		if d.Name == allDestinations {
			c.Errorf(&d.Name, "%s selects every destination: take another name", allDestinations)
		}
		if d.Registry != "" {
			output.Account(d.Registry)
			if err := imagename.CheckRegistry(d.Registry); err != nil {
				c.Errorf(&d.Registry, "registry %v", err)
			}
		}
		if n := slices.IndexFunc(all, func(o destination) bool {
			return sameRegistry(o.Registry, d.Registry)
		}); n >= 0 {
			c.Errorf(&d.Registry, "destinations %s and %s are the same registry: keep one", all[n].Name, d.Name)
		}
		one := destination{Destination: Destination{d.Name, d.Registry}}
		if d.Repository != "" {
			one.repository = &d.Repository
		}
		all = append(all, one)
	}
	return all
}

// selected returns the destinations that one value of -registry selects.
func (c *checker) selected(from, value string, declared []destination) []destination {
	if value == allDestinations {
		if len(declared) == 0 {
			c.Usage("%s %s: %s has no destinations: add them, or name a registry", from, value, c.Name)
		}
		return declared
	}
	for _, d := range declared {
		if d.Name == value || sameRegistry(d.Registry, value) {
			return []destination{d}
		}
	}
	if err := imagename.CheckRegistry(value); err != nil {
		if names := each(c.in.Destinations, func(d *destinationYAML) *string { return &d.Name }); len(names) > 0 &&
			!strings.ContainsAny(value, "./:@") {
			var list []string
			for _, n := range names {
				list = append(list, *n)
			}
			c.Usage("%s %s is not a destination of %s: %s, or write host[/prefix]", from,
				value, c.Name, yamlfile.Suggest(value, list))
			return nil
		}
		c.Usage("%s %v", from, err)
		return nil
	}
	return []destination{{Destination: Destination{Registry: value}}}
}

// sameRegistry reports whether two texts name one registry and prefix. Docker Hub has two names.
func sameRegistry(a, b string) bool {
	hub := func(s string) string {
		host, prefix, _ := strings.Cut(s, "/")
		if host == "index.docker.io" {
			host = "docker.io"
		}
		return strings.ToLower(host) + "/" + prefix
	}
	return hub(a) == hub(b)
}
