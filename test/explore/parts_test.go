//go:build linux

package explore

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// shards makes the release on several machines.
func (w *world) shards() {
	if w.exists("shards") {
		return
	}
	n := rapid.IntRange(1, 4).Draw(w.t, "shards")
	plan := slices.Concat([]string{
		"plan", "-product=src/slipway.yaml", "-store=store", "-out=out",
		fmt.Sprintf("-shards=%d", n), "-o=plan.json",
	}, w.now.flags)
	w.ok(w.run(plan...))
	var parts []string
	order := rapid.Permutation([]int{0, 1, 2, 3}).Draw(w.t, "order")
	for _, k := range order {
		if k >= n {
			continue
		}
		dir := fmt.Sprintf("shards/%d", k)
		r := w.run(
			slices.Concat([]string{
				"release", "-product=src/slipway.yaml", "-binary=false", "-plan=plan.json",
				fmt.Sprintf("-shard=%d", k), "-out=" + dir,
				"-store=" + pick(w.t, "shard's store", "store", "shards/store"),
			}, w.now.flags)...)
		if r.code != 0 {
			if strings.Contains(r.stderr, "-registry") || strings.Contains(r.stderr, "shard") {
				remove(w.path("shards")) // fewer shards than were asked for, or a snapshot
				return
			}
			w.fail(r, "a shard fails")
		}
		parts = append(parts, dir+"/release.part.json")
	}
	for range 1 + below(2).Draw(w.t, "merged twice") {
		w.ok(
			w.run(slices.Concat([]string{
				"merge", "-product=src/slipway.yaml", "-store=store", "-binary=false",
				"-out=shards/merged",
			}, w.now.flags, parts)...))
		w.same("merging shards", "shards/merged")
		slices.Reverse(parts)
	}
	remove(w.path("shards"))
}

// some makes a part of the release: some of its images on some of its platforms.
func (w *world) some() {
	args := []string{
		"-images=" + strings.Join(some(w.t, "image", 1, w.p.images...), ","),
		"-platforms=" + strings.Join(some(w.t, "platform", 1, w.p.platforms...), ","),
	}
	r := w.run(slices.Concat([]string{
		"release", "-product=src/slipway.yaml", "-store=store", "-binary=false",
		"-out=some",
	}, w.now.flags, args)...)
	if made := w.exists("some/release.part.json") || w.exists("some/SHA256SUMS"); made != (r.code == 0) {
		w.fail(r, "a part is made: %v", made)
	}
	remove(w.path("some"))
}

// parts makes the release by platforms.
func (w *world) parts() {
	if len(w.p.systems()) < 2 || w.exists("parts") {
		return
	}
	var parts []string
	for _, system := range w.p.systems() {
		var on []string
		for _, p := range w.p.platforms {
			if strings.HasPrefix(p, system) {
				on = append(on, p)
			}
		}
		dir := "parts/" + system
		r := w.run(slices.Concat([]string{
			"release", "-product=src/slipway.yaml", "-store=store",
			"-binary=false", "-out=" + dir, "-platforms=" + strings.Join(on, ","),
		}, w.now.flags)...)
		if r.code != 0 {
			remove(w.path("parts")) // an image is for none of these
			return
		}
		if !w.exists(dir + "/release.part.json") {
			remove(w.path("parts"))
			return
		}
		parts = append(parts, dir+"/release.part.json")
	}
	w.ok(
		w.run(slices.Concat([]string{
			"merge", "-product=src/slipway.yaml", "-store=store", "-binary=false",
			"-out=parts/merged",
		}, w.now.flags, parts)...))
	w.same("merging parts", "parts/merged")
	remove(w.path("parts"))
}

// stages makes the release command by command, in another directory.
func (w *world) stages() {
	if w.exists("staged") {
		return
	}
	at := []string{"-product=src/slipway.yaml", "-store=store", "-out=staged"}
	only := w.now.flags
	w.ok(w.run(slices.Concat([]string{"stage", "build"}, at, only)...))
	w.ok(w.run(slices.Concat([]string{"stage", "publish"}, at, only)...))
	if w.exists("out/release.yaml") {
		w.ok(w.run(slices.Concat([]string{"stage", "render"}, at, only)...))
	}
	w.ok(w.run(slices.Concat([]string{"airgap", "pack"}, at, only)...))
	now, was := w.tree("staged"), w.tree("out")
	for name, text := range now {
		is, ok := was[name]
		if strings.HasSuffix(name, ".tar.zst") && w.now.key != "" || name == "release.lock.json" ||
			strings.HasPrefix(name, ".") {
			continue
		}
		if ok && is != text {
			w.fail(nil, "stage by stage, %s is another", name)
		}
	}
	remove(w.path("staged"))
}
