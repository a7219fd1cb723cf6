package debian_test

import "github.com/slipway-dev/slipway/build/packages/debian"

var rules = []rule{
	{
		name: "dependency", stable: []string{"a 1; Depends: b (>= 1)", "b 1"}, r: install("a"),
		want: "install a 1, install b 1 auto",
	},
	{
		name: "pre-dependency", stable: []string{"a 1; Pre-Depends: b", "b 1"}, r: install("a"),
		want: "install a 1, install b 1 auto",
	},
	{
		name: "recommends", stable: []string{"a 1; Recommends: b; Suggests: c", "b 1", "c 1"}, r: install("a"),
		want: "install a 1, install b 1 auto",
	},
	{
		name: "no recommends", stable: []string{"a 1; Recommends: b", "b 1"},
		r: with(install("a"), func(s *debian.Settings) { s.NoRecommends = true }), want: "install a 1",
	},
	{
		name: "suggests", stable: []string{"a 1; Suggests: b", "b 1"},
		r: with(install("a"), func(s *debian.Settings) { s.Suggests = true }), want: "install a 1, install b 1 auto",
	},
	{
		name: "recommends that nothing satisfies", stable: []string{"a 1; Recommends: b"}, r: install("a"), want: "install a 1",
	},
	{
		name: "first alternative", stable: []string{"a 1; Depends: b | c", "b 1", "c 1"}, r: install("a"),
		want: "install a 1, install b 1 auto",
	},
	{
		name: "second alternative", stable: []string{"a 1; Depends: b (>= 2) | c", "b 1", "c 1"}, r: install("a"),
		want: "install a 1, install c 1 auto",
	},
	{
		name: "installed alternative", stable: []string{"a 1; Depends: b | c", "b 1", "c 1"}, status: []string{"c 1"},
		r: install("a"), want: "install a 1",
	},
	{
		name: "one provider", stable: []string{"a 1; Depends: v", "b 1; Provides: v"}, r: install("a"),
		want: "install a 1, install b 1 auto",
	},
	{
		name: "versioned provider", stable: []string{
			"a 1; Depends: v (>= 2)", "b 1; Provides: v (= 1)", "c 1; Provides: v (= 2)", "d 1; Provides: v",
		}, r: install("a"), want: "install a 1, install c 1 auto",
	},
	{
		name: "provider of higher priority", stable: []string{
			"a 1; Depends: v", "b 1; Provides: v; Priority: optional", "c 1; Provides: v; Priority: standard",
		}, r: install("a"), want: "install a 1, install c 1 auto",
	},
	{
		name: "conflict removes", stable: []string{"a 1; Conflicts: b", "b 1"}, status: []string{"b 1"}, r: install("a"),
		want: "install a 1, remove b",
	},
	{
		name: "breaks upgrades", stable: []string{"a 1; Breaks: b (<< 2)", "b 2"}, status: []string{"b 1"}, r: install("a"),
		want: "install a 1, upgrade b 2",
	},
	{
		name: "siblings", stable: []string{"a 2; Source: s", "b 2; Source: s"}, status: []string{"a 1; Source: s", "b 1; Source: s"},
		r: install("a"), want: "upgrade a 2, upgrade b 2",
	},
	{
		name: "version", stable: []string{"a 1", "a 2"}, r: install("a=1"), want: "install a 1",
	},
	{
		name: "suite", stable: []string{"a 1; Depends: b (= 1)", "b 1"}, next: []string{"a 2; Depends: b (= 2)", "b 2"},
		r: install("a/stable"), want: "install a 1, install b 1 auto",
	},
	{
		name: "default release", stable: []string{"a 1"}, next: []string{"a 2"},
		r: with(install("a"), func(s *debian.Settings) { s.DefaultRelease = "stable" }), want: "install a 1",
	},
	{
		name: "pin to a release", stable: []string{"a 1"}, next: []string{"a 2"},
		pins: "Package: *\nPin: release n=next\nPin-Priority: 100\n", r: install("a"), want: "install a 1",
	},
	{
		name: "pin to a version", stable: []string{"a 1", "a 2"}, pins: "Package: a\nPin: version 1*\nPin-Priority: 990\n",
		r: install("a"), want: "install a 1",
	},
	{
		name: "pin by source", stable: []string{"a 1; Source: s", "a 2; Source: s"},
		pins: "Package: src:s\nPin: version 1\nPin-Priority: 990\n", r: install("a"), want: "install a 1",
	},
	{
		name: "pin by glob", stable: []string{"liba 1", "liba 2"}, pins: "Package: lib*\nPin: version 1\nPin-Priority: 990\n",
		r: install("liba"), want: "install liba 1",
	},
	{
		name: "pin that downgrades", stable: []string{"a 1"}, status: []string{"a 2"},
		pins: "Package: a\nPin: origin deb.test\nPin-Priority: 1001\n",
		r:    with(command("dist-upgrade"), func(s *debian.Settings) { s.AllowDowngrades = true }), want: "downgrade a 1",
	},
	{
		name: "pin that excludes", stable: []string{"a 1"}, pins: "Package: a\nPin: release *\nPin-Priority: -1\n",
		r: install("a"), want: "error: a has no candidate, since pins exclude its versions: there is 1",
	},
	{
		name: "remove by a minus", stable: []string{"a 1", "b 1"}, status: []string{"b 1"}, r: install("a", "b-"),
		want: "install a 1, remove b",
	},
	{
		name: "name with a plus", stable: []string{"g++ 1"}, r: install("g++"), want: "install g++ 1",
	},
	{
		name: "remove with dependents", status: []string{"a 1; Depends: b", "b 1"}, r: command("remove", "b"),
		want: "remove a, remove b",
	},
	{
		name: "purge", status: []string{"a 1"}, r: command("purge", "a"), want: "purge a",
	},
	{
		name: "autoremove", status: []string{"a 1; Depends: b", "b 1", "c 1"}, auto: "b c", r: command("autoremove"),
		want: "remove c",
	},
	{
		name: "upgrade", stable: []string{"a 2", "b 2; Depends: c", "c 1"}, status: []string{"a 1", "b 1"}, r: command("upgrade"),
		want: "upgrade a 2",
	},
	{
		name: "dist-upgrade", stable: []string{"a 2", "b 2; Depends: c", "c 1"}, status: []string{"a 1", "b 1"},
		r: command("dist-upgrade"), want: "upgrade a 2, upgrade b 2, install c 1 auto",
	},
	{
		name: "hold", stable: []string{"a 2"}, status: []string{"a 1; Status: hold ok installed"}, r: command("dist-upgrade"),
	},
	{
		name: "reinstall", stable: []string{"a 1"}, status: []string{"a 1"}, r: command("reinstall", "a"), want: "reinstall a 1",
	},
	{
		name: "installed is marked as wanted", stable: []string{"a 1"}, status: []string{"a 1"}, auto: "a", r: install("a"),
	},
	{
		name: "glob", stable: []string{"lib-a 1", "lib-b 1", "c 1"}, r: install("lib-*"), want: "install lib-a 1, install lib-b 1",
	},
	{
		name: "unknown", stable: []string{"curl 1"}, r: install("crul"),
		want: "error: no repository has the package crul: add the repository that has it, or correct the name",
	},
	{
		name: "unknown and near", stable: []string{"libcurl4 1"}, r: install("libcurl3"),
		want: "error: no repository has the package libcurl3: did you mean libcurl4?",
	},
	{
		name: "no such version", stable: []string{"a 1", "a 2"}, r: install("a=3"), want: "error: a has no version 3: there is 2, 1",
	},
	{
		name: "no such suite", stable: []string{"a 1"}, r: install("a/next"),
		want: "error: a is not in the suite next: it is in stable",
	},
	{
		name: "no such default release", stable: []string{"a 1"}, next: []string{"a 1"},
		r:    with(install("a"), func(s *debian.Settings) { s.DefaultRelease = "sid" }),
		want: `error: no repository has the default release "sid": use one of stable, next`,
	},
	{
		name: "unsatisfiable", stable: []string{"a 1; Depends: b", "b 1; Depends: c (>= 2)", "c 1"}, r: install("a"),
		want: "error: installing a:amd64 (1), which needs b: Depends: c (>= 2) of b: " +
			"repositories have c only in version 1: add a suite that has it",
	},
	{
		name: "missing dependency", stable: []string{"a 1; Depends: b"}, r: install("a"),
		want: "error: installing a:amd64 (1): Depends: b of a: no repository has it: add the repository that has it",
	},
	{
		name: "conflict of what is asked for", stable: []string{"a 1; Conflicts: b", "b 1"}, r: install("a", "b"),
		want: "error: installing a:amd64 (1): Conflicts: b of a: b:amd64 (1) is installed too, asked for: ask for one of them",
	},
	{
		name: "held in the way", stable: []string{"a 1; Depends: b (>= 2)", "b 2"},
		status: []string{"b 1; Status: hold ok installed"}, r: install("a"),
		want: "error: installing a:amd64 (1): Depends: b (>= 2) of a: " +
			"b is held at version 1: remove the hold, or ask for another version",
	},
	{
		name: "held is asked for", stable: []string{"a 2"}, status: []string{"a 1; Status: hold ok installed"}, r: install("a"),
		want: "error: a is on hold and would change (upgrade): add --allow-change-held-packages",
	},
	{
		name: "downgrade", stable: []string{"a 1"}, status: []string{"a 2"}, r: install("a=1"),
		want: "error: a would be downgraded from 2 to 1: add --allow-downgrades",
	},
	{
		name: "essential", status: []string{"a 1; Essential: yes"}, r: command("remove", "a"),
		want: "error: a is essential and would be removed (asked for): add --allow-remove-essential",
	},
	{
		name: "no remove", stable: []string{"a 1; Conflicts: b"}, status: []string{"b 1"},
		r:    with(install("a"), func(s *debian.Settings) { s.NoRemove = true }),
		want: "error: b must be removed (a Conflicts: b): leave out --no-remove",
	},
	{
		name: "virtual", stable: []string{"a 1; Provides: v", "b 1; Provides: v"}, r: install("v"),
		want: "error: v is provided by several packages: name one of a, b",
	},
	{
		name: "half installed", status: []string{"a 1; Status: install ok half-configured"}, r: install("a"),
		want: `error: a:amd64 has the status "install ok half-configured": complete its installation in the base image first`,
	},
	{
		name: "pattern", stable: []string{"a 1"}, r: install("^a$"),
		want: `error: "^a$" is a pattern that is not supported: name packages, or use * as in lib*`,
	},
}
