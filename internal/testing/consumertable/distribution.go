package consumertable

import (
	"os"
	"regexp"
	"strings"
	"sync"
)

// Packaged names a program of the distribution with its version, major and minor: "skopeo 1.9
// (Debian 12)".
func Packaged(program, version string) string {
	return Built(program, version) + " (" + distribution() + ")"
}

var majorMinor = regexp.MustCompile(`\d+\.\d+`)

// Built names a program that comes as a Go module, likewise: "containerd 2.4". The version may
// be anywhere in the text.
func Built(program, version string) string {
	return program + " " + majorMinor.FindString(version)
}

// distribution is this system by /etc/os-release: "Debian 12".
var distribution = sync.OnceValue(func() string {
	text, err := os.ReadFile("/etc/os-release")
	if err != nil {
		return "another system"
	}
	return release(string(text))
})

func release(text string) string {
	value := map[string]string{}
	for l := range strings.Lines(text) {
		if k, v, ok := strings.Cut(strings.TrimSpace(l), "="); ok {
			value[k] = strings.Trim(v, `"'`)
		}
	}
	name, _, _ := strings.Cut(value["NAME"], " ")
	return strings.TrimSpace(name + " " + value["VERSION_ID"])
}

// elsewhere says whether a row is about another distribution than the page.
func elsewhere(line string) bool {
	d := distribution()
	return d != home && strings.Contains(line, "("+d+")")
}
