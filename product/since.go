package product

import "strings"

// Since is why a release to a registry pins every image. What asks for a pin ends with it.
const Since = ", since a release must not change when a tag moves"

// Once leaves [Since] to the first of the lines that end with it.
func Once(lines []string) []string {
	said := false
	var all []string
	for _, line := range lines {
		if short, ok := strings.CutSuffix(line, Since); ok && said {
			line = short
		} else if ok {
			said = true
		}
		all = append(all, line)
	}
	return all
}
