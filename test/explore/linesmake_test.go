//go:build linux

package explore

// The groups that commands share which make a release.
var (
	images    = known("images", 2, func(g *ground) []string { return g.images })
	platforms = known("platforms", 2, func(g *ground) []string {
		return append([]string{"linux", "windows"}, g.platforms...)
	})
	channel   = known("channel", 1, func(g *ground) []string { return append([]string{"stable"}, g.channels...) })
	version   = one("version", "7.0.2", "v7.1.0-rc.1", "git")
	floating  = one("floating", "forward", "move", "keep")
	referrers = one("referrers", "require", "try", "none")
	quiet     = sw("quiet", "q")
	asJSON    = sw("json")
	builder   = one("builder", "https://example.com/builder")
)

// key signs with a key, or with a program.
func key(p *place) []string {
	if maybe(p.t, 2, "signer") {
		return []string{"-signer=" + p.at("keys/signer.sh"), "-signer-key=" + p.at("keys/hsm.pub")}
	}
	return []string{"-sign=" + p.at(pick(p.t, "key", "keys/one.key", "keys/two.key"))}
}

// clone names a clone of the repository of a source.
func clone(p *place) []string {
	return []string{"-repository=" + pick(p.t, "source", "here", "mod", "none") + "=" + p.directory("src")}
}

// shardOf takes one shard of a plan: in a file, or in the registry.
func shardOf(p *place) []string {
	plan := p.at("plan.json")
	if p.g.plan != "" && maybe(p.t, 2, "plan of the registry") {
		plan = p.g.plan
	}
	return []string{"-plan=" + plan, "-shard=" + pick(p.t, "shard", "0", "0", "1", "7")}
}

// divided makes a plan of shards.
func divided(p *place) []string {
	args := []string{"-shards=" + pick(p.t, "shards", "1", "2", "3")}
	if maybe(p.t, 2, "plan's file") {
		args = append(args, pick(p.t, "output", "-o=", "-output=", "--output=")+p.at("plan.json"))
	}
	if maybe(p.t, 2, "plan in the registry") {
		args = append(args, "-push")
	}
	if maybe(p.t, 2, "weights") {
		args = append(args, "-weights="+p.at("store/release.weights.json"))
	}
	return args
}

// buildCache names a build cache in the registry.
func buildCache(p *place) []string {
	args := []string{"-build-cache=" + p.g.host + "/" + p.g.prefix + "/cache"}
	if maybe(p.t, 2, "only read") {
		args = append(args, "-build-cache-read-only")
	}
	return args
}

// ofPlan names a plan in the registry, or one that is not there.
func ofPlan(p *place) []string {
	if p.g.plan == "" || maybe(p.t, 8, "no plan") {
		return []string{p.g.host + "/plans@sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}
	}
	return []string{p.g.plan}
}

// joined takes the parts of a plan.
func joined(p *place) []string {
	args := []string{"-plan=" + ofPlan(p)[0]}
	if maybe(p.t, 2, "push") {
		args = append(args, "-push")
	}
	return append(args, "-wait="+pick(p.t, "wait", "1ms", "0s", "1s"))
}

// parts are parts of a release.
func parts(p *place) []string {
	return some(p.t, "part", 0, p.at("part/release.part.json"), p.at("out/release.part.json"))
}

// lines are the command lines of every command.
var lines = map[string]*commandLine{
	"release": {
		always: []group{ofProduct, store, out, one("binary", "false")},
		often: []group{
			same, same, registry, floating, referrers, channel, images, platforms, version, quiet,
			asJSON, key, key, builder, clone, shardOf, one("sandbox", "auto", "off", "require"), sw("rebuild"),
		},
		rarely: []group{one("binary", "true"), buildCache},
		writes: true,
	},
	"merge": {
		always: []group{ofProduct, store, out, one("binary", "false")},
		often:  []group{same, registry, floating, channel, version, quiet, asJSON, key, key, builder, clone, joined},
		rarely: []group{one("binary", "true")},
		args:   parts, writes: true,
	},
	"check": {
		always: []group{ofProduct},
		often:  []group{same, channel, images, platforms, version, quiet, asJSON, registry},
	},
	"plan": {always: []group{ofProduct}, often: []group{
		same, store, out, floating, channel, images,
		platforms, version, quiet, asJSON, registry, divided, divided,
	}, writes: true},
	"images": {always: []group{ofProduct}, often: []group{same, channel, version, asJSON, registry}},
	"doctor": {always: []group{ofProduct}, often: []group{same, store, out, channel, version, asJSON, registry}},
	"stage build": {
		always: []group{ofProduct, store, out},
		often: []group{
			same, clone, channel, images, platforms, version, quiet, asJSON, registry, sw("rebuild"),
		},
		writes: true,
	},
	"stage publish": {
		always: []group{ofProduct, store, there},
		often: []group{
			same, channel, images, platforms, version, quiet, asJSON, registry, floating, referrers,
		},
		writes: true,
	},
	"stage render": {
		always: []group{ofProduct, store, there},
		often: []group{same, same, channel, version, quiet, asJSON, registry, func(p *place) []string {
			return []string{"-destination=" +
				pick(p.t, "destination", append([]string{p.g.host + "/" + p.g.prefix}, p.g.dest...)...)}
		}},
		writes: true,
	},
	"airgap pack": {
		always: []group{ofProduct, store, there},
		often: []group{
			same, same, channel, images, platforms, version, quiet, asJSON, registry,
			func(p *place) []string {
				return []string{"-base=" + p.at("old0/release.lock.json")}
			},
		},
		writes: true,
	},
	"shard fetch": {often: []group{store, out, quiet}, args: ofPlan, writes: true},
	"shard kubernetes": {
		always: []group{one("image", "example.com/slipway:1")},
		often:  append(jobs, one("parallel", "1", "3")), args: ofPlan, writes: true,
	},
	"shard tekton": {always: []group{one("image", "example.com/slipway:1")}, often: jobs, args: ofPlan, writes: true},
	"reproduce": {
		args: func(p *place) []string { return append([]string{p.directory("out")}, bundle(p)...)[:1] },
		often: []group{
			asJSON, quiet, verifies, one("threshold", "1", "2"), sw("allow-commands"), sw("old-go"), one("sandbox", "auto", "off"),
			inputs,
			func(p *place) []string {
				return []string{"-repository=" + pick(p.t, "source", "here=", "") + p.directory("src")}
			},
			func(p *place) []string {
				return []string{
					"-sign=" + p.at("keys/two.key"), "-output=" + p.at("made-again.json"),
					"-builder=https://example.com/other",
				}
			},
		},
		writes: true, slow: true,
	},
}

// jobs are the flags of what makes a release in a cluster.
var jobs = []group{
	store, quiet, one("arch", "amd64", "arm64"), one("cpu", "1", "500m"),
	one("disk", "1Gi"), one("env", "A=B", "C= d'\" "), sw("shards-only"),
	one("memory", "2Gi"), one("job-name", "named", "UPPER"), one("registry-secret", "creds"), one("timeout", "1h", "1ms"),
}

// inputs names the archive of inputs.
func inputs(p *place) []string { return []string{"-inputs=" + p.at("out/inputs.tar.gz")} }
