//go:build linux

package explore

import "maps"

// charted names the chart of a product or a release.
func charted(p *place) []string {
	return some(p.t, "chart", 0, append([]string{"src/charts/drawn-chart"}, p.g.charts...)...)
}

// manifest is release.yaml, a chart or nothing.
func manifest(p *place) []string {
	switch pick(p.t, "manifest", "release", "chart", "none") {
	case "release":
		return []string{p.at("out/release.yaml")}
	case "chart":
		return []string{p.directory("src/charts/drawn-chart")}
	}
	return nil
}

// cluster names a cluster, or a file with its nodes.
func cluster(p *place) []string {
	switch pick(p.t, "nodes", "file", "file", "input", "cluster", "context") {
	case "input":
		return []string{"-nodes=-"}
	case "cluster":
		return []string{"-kubeconfig=" + p.at("keys/kubeconfig.yaml")}
	case "context":
		return []string{
			"-kubeconfig=" + p.at("keys/kubeconfig.yaml"),
			"-context=" + pick(p.t, "context", "here", "none"),
		}
	}
	return []string{"-nodes=" + p.at("keys/nodes.json")}
}

// older names an older release, or the same.
func older(name string, suffixes ...string) group {
	return func(p *place) []string {
		return []string{"-" +
			name + "=" + p.at(pick(p.t, name, append([]string{"out"}, p.g.olds...)...)+pick(p.t, "of it", suffixes...))}
	}
}

// locked are what promote and verify take.
func locked(p *place) []string {
	return []string{
		p.at(pick(p.t, "lock", append([]string{"out/release.lock.json", "out/release.lock.json"}, p.g.bundles...)...)),
	}
}

// to is a place to copy to.
func to(p *place) []string {
	at := p.g.host + "/" + p.g.prefix + "/to"
	return []string{"-to=" + at + pick(p.t, "to", "", "/deep/er", "/UPPER")}
}

func init() {
	maps.Copy(lines, map[string]*commandLine{
		"lint": {
			args: manifest,
			often: []group{
				ofProduct, there, sameProduct, channel, version, asJSON, sw("sarif"), sw("strict"),
				sw("verbose", "v"), sw("remote"), file("values", "keys/values.yaml"),
				file("lock", "out/release.lock.json"),
			},
		},
		"audit": {
			args: func(p *place) []string {
				return append(bundle(p), some(p.t, "audited", 0, p.at("out/images.txt"), p.at("out/release.yaml"),
					p.at("none.tar"))...)
			},
			often: []group{
				asJSON, sw("sarif"), one("fail", "error", "warning", "note", "never"), sw("fix"), sw("dry-run"), sw("deep"),
				one("to", "localhost:1/mended", "localhost:1/mended:1", "NO"), floating,
				one("since", "none", "localhost:1/before:1", "NO"), one("platform", "linux/amd64", "windows/amd64:ltsc2022"),
				file("nodes", "keys/nodes.json"), file("values", "keys/values.yaml"), one("case", "a=none.yaml", "NO"),
				file("allow", "none.yaml"),
			},
		},
		"nodes": {
			always: []group{cluster},
			often: []group{
				asJSON, file("lock", "out/release.lock.json"), file("release", "out/release.yaml"),
				file("release", "out/release.yaml"), file("values", "keys/values.yaml"),
			},
			args: charted,
		},
		"serve": {
			always: []group{ofProduct, store, there},
			often:  []group{quiet, one("addr", "127.0.0.1:0", "localhost:0", "[::1]:0", "127.0.0.2:0")}, writes: true,
		},
		"pin": {
			always: []group{ofProduct},
			often:  []group{asJSON, sw("check"), sw("update"), one("newer", "patch", "minor")}, writes: true,
			args: func(p *place) []string {
				return some(p.t, "pinned", 0, pick(p.t, "of them", "bases", "images"))
			}, more: 1,
		},
		"init": {
			always: []group{one("name", "named", "UPPER")},
			often: []group{
				one("created", "2025-01-01T00:00:00Z"), one("revision", "abc"), one("version", "1.0.0", "git"),
				one("example", "hello", "rke2"),
				one("platforms", "linux/amd64", "linux/amd64,windows/amd64:ltsc2022"),
				one("questions", "ask", "file"),
			},
			args: func(p *place) []string {
				return []string{p.directory(pick(p.t, "init", "src", "bare", "bare", "fresh"))}
			},
			writes: true,
		},
		"keygen": {often: []group{asJSON}, args: func(p *place) []string {
			return some(p.t, "named", 0, pick(p.t, "name", "new", "deep/new", "keys/one"))
		}, writes: true},
		"store clean": {
			always: []group{ofProduct, store, out}, often: []group{asJSON, func(p *place) []string {
				return append([]string{"-older=" + pick(p.t, "older", "1ms", "7d", "12h")},
					some(p.t, "dry", 0, "-dry-run")...)
			}},
			args: func(p *place) []string { return some(p.t, "part", 0, p.at("part/release.part.json")) }, writes: true,
		},
		"version": {often: []group{asJSON}},
		"store verify": {
			always: []group{ofProduct, store}, often: []group{quiet, asJSON, sw("repair")},
			writes: true, more: 2,
		},
		"report": {
			always: []group{func(p *place) []string { return []string{"-o=" + p.at("page.html")} }},
			often: []group{
				ofProduct, store, sw("run"), older("since", "", "/release.lock.json"),
				one("nodes", "keys/nodes.json", "-"), one("output", "-"),
			},
			args: func(p *place) []string {
				return append(append([]string{p.directory("out")}, bundle(p)...), p.at("out/release.lock.json"))[:1]
			},
			writes: true,
		},
		"promote": {
			args: locked,
			often: []group{
				to, to, to, asJSON, quiet, floating, referrers, verifies, one("charts", "keep", "rename"),
				file("images-yaml", "images.yaml"), there, ofProduct,
				file("release", "out/release.yaml"), file("release-to", "copy.yaml"), file("ca-file", "keys/ca.pem"),
				func(p *place) []string { return []string{"-from=" + p.g.host + "/made"} },
				func(p *place) []string {
					return []string{"-rename=" + pick(p.t, "rename", "own=renamed", "own/main=main")}
				},
			},
			writes: true,
		},
		"github-release": {
			always: []group{func(p *place) []string { return []string{"-out=" + p.directory("out")} }},
			often: []group{
				asJSON, quiet, sw("draft"), sw("notes"), sw("replace"), one("tag", "v1.0.0", "v9"),
				one("github-repository", "me/product", "other"), older("since", "/release.lock.json"),
				one("commit", "1111111111111111111111111111111111111111"), file("ca-file", "keys/ca.pem"),
			},
		},
		"verifier": {
			always: []group{
				directory("dir", "trusted", "trusted", "keys"),
				one("digest", "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
			},
			often: []group{one("stdin-media-type", "application/vnd.oci.descriptor.v1+json")},
			args: func(p *place) []string {
				return []string{"-name=" + pick(p.t, "image", append([]string{"example.com/a:1"}, p.g.names...)...)}
			},
		},
		"cacheprog": {
			always: []group{directory("disk-cache", "cacheprog")},
			often: []group{
				one("budget", "1ns", "1m"), one("max-age", "24h", "1ns"), one("max-disk", "1", "100"),
				one("max-blobs", "1", "100"), sw("build-cache-read-only"), file("stats", "stats.jsonl"),
				one("build-cache-tag", "a", "b"), func(p *place) []string {
					return []string{"-build-cache=" + p.g.host + "/" + p.g.prefix + "/objects"}
				},
			},
			writes: true, more: 8,
		},
	})
}
