package apt

import (
	"strings"
	"testing"
)

// TestRead reads command lines of Dockerfiles: two lines that take the same packages have one form
// in packages.lock.yaml.
func TestRead(t *testing.T) {
	for line, want := range map[string]string{
		"apt-get update":          "apt-get update",
		"apt-get -qq update":      "apt-get update",
		"apt-get install -y curl": "apt-get install curl",
		"apt install -yq --no-install-recommends a b=1.2 c/bookworm d:arm64": "apt-get install --no-install-recommends a b=1.2 c/bookworm d:arm64",
		"apt-get -y install --no-install-recommends=true a":                  "apt-get install --no-install-recommends a",
		"apt-get -o Dpkg::Options::=--force-confold -y install a":            "apt-get install -o Dpkg::Options::=--force-confold a",
		"apt-get -oAPT::Install-Suggests=true install -t bookworm-backports a": "apt-get install " +
			"--target-release=bookworm-backports -o APT::Install-Suggests=true a",
		"apt-get -q=2 install -y -- a":          "apt-get install a",
		"apt-get remove --purge -y a":           "apt-get purge a",
		"apt-get purge -y --auto-remove a":      "apt-get purge --auto-remove a",
		"apt full-upgrade -y":                   "apt-get dist-upgrade",
		"apt-get upgrade -y --allow-downgrades": "apt-get upgrade --allow-downgrades",
		"apt-get autopurge -y":                  "apt-get autoremove --purge",
		"apt-get --target-release=x install a":  "apt-get install --target-release=x a",
		"apt-get clean":                         "apt-get clean",

		"apt-get":                     "it has no command",
		"apt-get source a":            "apt-get source is not carried out",
		"apt-get update a":            "takes no names",
		"apt-get remove":              "names no package",
		"apt-get install --dry-run a": "option --dry-run is not known here",
		"apt-get install -s a":        "option -s is not known here",
		"apt-get install -o":          "option -o has no value",
		"apt-get install -o APT::X a": "-o APT::X is not KEY=VALUE",
		"apt-get install -t":          "option -t has no value",
	} {
		o, err := read(strings.Fields(line))
		got := o.String()
		if err != nil {
			got = err.Error()
		}
		if err != nil && !strings.Contains(got, want) || err == nil && got != want {
			t.Errorf("%s: %q, not %q", line, got, want)
		}
	}
}
