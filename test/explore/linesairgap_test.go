//go:build linux

package explore

import (
	"maps"
	"slices"
)

func init() {
	maps.Copy(lines, map[string]*commandLine{
		"airgap inspect": {
			args:  bundle,
			often: []group{asJSON, one("format", "table", "names", "digests", "charts", "kubelet")}, more: 1,
		},
		"airgap diff": {args: func(p *place) []string {
			return append(bundle(p), bundle(p)...)
		}, often: []group{asJSON}},
		"verify": {
			often: []group{
				asJSON, quiet, verifies, file("sums", "out/SHA256SUMS"),
				file("lock", "out/release.lock.json"), older("since", "", "/provenance.sigstore.json"),
			},
			args: func(p *place) []string {
				if maybe(p.t, 2, "all of it") {
					return []string{p.directory("out")}
				}
				return bundle(p)
			},
		},
		"airgap extract": {
			always: []group{
				func(p *place) []string {
					return []string{"-o=" +
						p.at(pick(p.t, "to", "layout", "image.tar", "deep/x.tar", "chart.tgz", "src"))}
				},
			},
			often: []group{
				asJSON, quiet, verifies, one("format", "oci", "docker-archive", "chart"),
				known("platforms", 1, func(g *ground) []string { return g.platforms }), sw("without-referrers"),
			},
			args: func(p *place) []string {
				return append(bundle(p), pick(p.t, "image", append(slices.Clone(p.g.names), "example.com/none:1")...))
			}, writes: true,
		},
		"airgap push": {
			always: []group{to},
			often: []group{
				asJSON, quiet, verifies, floating, referrers, platforms, sw("snapshot"), file("ca-file", "keys/ca.pem"),
				func(p *place) []string {
					return append([]string{"-release=" + p.at("out/release.yaml")},
						some(p.t, "copy", 0, "-release-to="+p.at("copy.yaml"))...)
				},
			},
			args: bundle, writes: true, more: 2,
		},
		"airgap mirror-config": {always: []group{to}, often: []group{
			asJSON, directory("out", "mirror", "out"),
			one("node-ca-file", "/etc/ca.pem"),
		}, args: bundle, writes: true, more: 3},
		"airgap apply": {
			always: []group{file("output", "applied.tar.zst"), func(p *place) []string {
				return []string{"-base=" + bundle(p)[0]}
			}},
			often: []group{asJSON, quiet, verifies},
			args: func(p *place) []string {
				return []string{p.at(pick(p.t, "delta", append(slices.Clone(p.g.deltas), "out/none.tar.zst.delta")...))}
			},
			writes: true,
		},
		"airgap split": {
			always: []group{directory("out", "volumes", "deep/volumes")},
			often:  []group{asJSON, quiet, verifies, one("max-size", "1MB", "3MB", "1GiB")},
			args:   bundle, writes: true,
		},
	})
}
