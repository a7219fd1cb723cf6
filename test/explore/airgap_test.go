//go:build linux

package explore

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

func (p *product) drawAirgap(t *rapid.T) {
	o := object{}
	if maybe(t, 4, "images.txt") {
		o["images"] = "images.txt"
		p.registry = true
		p.files["images.txt"] = fmt.Sprintf("# third-party\n%s/third/pause:1\n", host)
		if maybe(t, 2, "first image") {
			o["firstImage"] = host + "/third/pause:1"
		}
		if maybe(t, 5, "nested index") {
			p.nested = pick(t, "third-party index", nested, lying)
			p.files["images.txt"] += host + "/" + p.nested + "\n"
		}
	} else if maybe(t, 4, "first image") {
		o["firstImage"] = p.images[0]
	}
	if maybe(t, 4, "formats") {
		o["formats"] = []string{"zst", "gz"}
	}
	if maybe(t, 4, "groups") {
		p.drawGroups(t, o)
	} else if maybe(t, 4, "bundles") {
		all := []object{{"name": "everything"}}
		for _, on := range some(t, "bundle", 0, p.platforms...) {
			all = append(all,
				object{"name": "for." + strings.NewReplacer("/", "-", ":", "-").Replace(on), "platform": on})
		}
		o["bundles"] = all
	}
	if len(o) > 0 {
		p.yaml["airgap"] = o
	}
}

// drawGroups draws groups of images, mostly an addition to another, and their bundles.
func (p *product) drawGroups(t *rapid.T, o object) {
	all := []object{p.drawGroup(t, "core", o)}
	if maybe(t, 2, "an addition") || len(p.images) > 1 {
		all = append(all, p.drawGroup(t, "more", o))
		all[1]["addsTo"] = "core"
	}
	o["groups"] = all
	if p.groups = []string{"core", "more"}[:len(all)]; !maybe(t, 5, "default bundles") {
		o["bundles"] = p.drawGroupBundles(t, all)
	}
}

// drawGroup draws a group. It is drawn from the product's images, and has others besides.
func (p *product) drawGroup(t *rapid.T, name string, o object) object {
	g := object{"name": name, "images": some(t, name+" image", 1, p.images...)}
	third := !p.windows() || maybe(t, 8, name+" for Windows") // it has no Windows, which a list must have
	if o["images"] != nil && third && maybe(t, 2, name+" pattern") {
		g["images"] = append(g["images"].([]string), host+"/third/*")
	}
	if third && maybe(t, 2, name+" list") {
		p.registry = true
		p.files["lists/"+name+".txt"] = "${PLACE}/third/pause:${TAG}\n"
		g["lists"] = []string{"lists/" + name + ".txt"}
		o["args"] = object{"PLACE": host, "TAG": "1"}
	}
	if charts, _ := p.yaml["charts"].([]object); len(charts) > 0 && maybe(t, 2, name+" chart") {
		g["charts"] = []string{charts[0]["name"].(string)}
	}
	if maybe(t, 3, name+" selector") {
		g["selector"] = pick(t, name+" labels", "app=d0", "app in (d0, d1)", "app,app!=d0")
	}
	return g
}

// drawGroupBundles draws bundles of groups: those that are not empty.
func (p *product) drawGroupBundles(t *rapid.T, groups []object) []object {
	all := []object{{"name": "everything"}}
	for n, g := range groups {
		var on []string
		for _, s := range p.platforms {
			if slices.ContainsFunc(g["images"].([]string), func(i string) bool { return p.nodes(i, s) }) {
				on = append(on, s)
			}
		}
		if len(on) == 0 {
			all = append(all, object{"name": "of-{{.Group}}", "groups": []string{p.groups[n]}})
			continue
		}
		b := object{"name": template + "{{.Group}}", "groups": []string{p.groups[n]}, "platforms": on}
		if len(on) == 1 && maybe(t, 2, "platform") {
			delete(b, "platforms")
			b["platform"] = on[0]
		}
		all = append(all, b)
		if core, ok := all[1]["platforms"]; n == 1 && ok && maybe(t, 3, "sparse") != maybe(t, 3, "not sparse") {
			if on := both(on, core.([]string)); len(on) > 0 {
				all = append(all, object{
					"name": template + "sparse", "groups": []string{"more"}, "platforms": on, "sparse": true,
				})
			}
		}
	}
	if maybe(t, 2, "list only") {
		all = append(all, object{"name": "all.{{.Product}}", "listOnly": true})
	}
	if maybe(t, 2, "list of groups") {
		all = append(all, object{"name": "listed", "listOnly": true, "groups": p.groups, "platforms": p.platforms})
	}
	return all
}

// template begins names of bundles, each of another platform.
const template = "{{.OS}}-{{.Arch}}{{.WindowsRelease}}-"

// both returns what is in both lists.
func both(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return !slices.Contains(b, s) })
}

// nodes reports whether nodes of a platform run an image.
func (p *product) nodes(name, on string) bool {
	for _, i := range p.yaml["images"].([]object) {
		if i["name"] == name {
			systems, ok := i["platforms"].([]string)
			return i["lifecycle"] == nil && (!ok || slices.Contains(systems, strings.Split(on, "/")[0]))
		}
	}
	return false
}
