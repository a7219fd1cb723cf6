package scaffold

import "testing"

// TestInstallsPackages tells lines that install Debian packages from others.
func TestInstallsPackages(t *testing.T) {
	for text, want := range map[string]bool{
		"FROM debian\nRUN apt-get update && apt-get install -y --no-install-recommends curl":     true,
		"FROM debian\nRUN apt update; \\\n  apt -y upgrade":                                      true,
		"FROM debian\nRUN clean-install nfs-common":                                              true,
		"FROM debian AS a\nRUN dpkg -i x.deb\nFROM a\nCOPY x /":                                  true,
		"FROM debian\nRUN [\"/usr/bin/apt-get\", \"install\", \"curl\"]":                         true,
		"FROM debian\nRUN <<EOF\napt-get install -y curl\nEOF":                                   true,
		"FROM debian AS build\nRUN apt-get install -y gcc\nFROM scratch\nCOPY --from=build /x /": false,
		"FROM debian\nRUN apt-get clean && rm -rf /install":                                      false,
		"FROM debian\nRUN echo apt-get-install":                                                  false,
	} {
		r := readDockerfile("Dockerfile", []byte(text))
		p := &part{from: r, of: r.last()}
		if got := p.installsPackages(); got != want {
			t.Errorf("%s\ninstalls packages: %v", text, got)
		}
	}
}
