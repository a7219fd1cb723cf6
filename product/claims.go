package product

import "fmt"

// claims are the names that images have taken, with what took them.
type claims map[string]string

// claim is the names of an image or a chart.
type claim struct {
	what                    string
	repositories, elsewhere []string
	tags, floating          []string
	platform                []PlatformTag
}

// add claims names, also those elsewhere if the selected ones are free. s is the address of the
// name in slipway.yaml.
func (all claims) add(c *checker, s *string, n claim) {
	kinds := map[string][]string{"tag": n.tags, "floating tag": n.floating}
	for _, t := range n.platform {
		kinds["platform tag"] = append(kinds["platform tag"], t.Tag)
	}
	free := true
	claim := func(repository string) {
		for _, kind := range []string{"tag", "platform tag", "floating tag"} {
			for _, tag := range kinds[kind] {
				name := repository + ":" + tag
				claim := fmt.Sprintf("a %s of %s", kind, n.what)
				if have := all[name]; have != "" {
					c.Errorf(s, "%s would be %s and %s: give one of them another repository or tag", name, have, claim)
					free = false
					continue
				}
				all[name] = claim
			}
		}
	}
	for n, path := range n.repositories {
		if len(c.out.Destinations) > 0 {
			path = c.out.Destinations[n].Registry + "/" + path
		}
		claim(path)
	}
	for _, repository := range n.elsewhere {
		if free {
			claim(repository)
		}
	}
}
