package scaffold

import (
	"cmp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// Forms of a version in tags.
const withV, withoutV = "v1.2.3", "1.2.3"

// asGit is the form of a tag that has git's own in it.
const asGit = "git's"

// tagToken matches what a build puts into a tag: a field, a variable, or a version that is written
// out.
var tagToken = lazyregexp.New(`\{\{-?\s*([^}]*?)\s*-?\}\}|\$\((?:[^()]|\([^()]*\))*\)|\$\{[^}]*\}|\$\w+|\bv?[0-9]+\.[0-9]+\.[0-9]+(?:-[0-9A-Za-z.-]+)?$`)

// literal matches a version that is written out, and the text after it in a tag.
var literal = lazyregexp.New(`^(v?)[0-9]+\.[0-9]+\.[0-9]+(?:-(?:[0-9]|alpha|beta|rc|pre|dev|snapshot|next)[0-9A-Za-z.]*)?((?:-.*)?)$`)

// wholeExpression matches a tag that an expression of a workflow begins.
var wholeExpression = lazyregexp.New(`^v?\$\(workflow\)`)

// notVersion matches what a tag may have in place of a version.
var notVersion = lazyregexp.New(`(?i)sha|commit|revision|run_?(?:id|number)|build_?(?:id|num)|date|timestamp|branch|pull_?request|\bpr_|event\.number`)

// tagTemplate returns a tag as slipway.yaml has it, "" for none that it can have, and the form of
// the version in it, "" where that is not known.
func tagTemplate(tag string) (template, form string) {
	versions := 0
	template = tagToken.ReplaceAllStringFunc(tag, func(t string) string {
		field := strings.ToLower(strings.TrimPrefix(tagToken.FindStringSubmatch(t)[1], "."))
		switch field {
		case "major", "minor", "patch":
			return "{{." + strings.ToUpper(field[:1]) + field[1:] + "}}"
		case "version", "rawversion":
			form = withoutV
		case "":
			if t == "$(workflow)" && !wholeExpression.MatchString(tag) {
				versions += 2 // it may be anything
			}
			if notVersion.MatchString(strings.ReplaceAll(t, "COMMIT_TAG", "TAG")) {
				versions += 2 // it is something else
			}
		case "tag", "raw":
			form = asGit
		default:
			versions += 2 // it is something else
		}
		switch {
		case strippedTag.MatchString(t), wholeTag.MatchString(t) && withoutV1.MatchString(t):
			form = withoutV
		case wholeTag.MatchString(t):
			form = asGit
		case strings.HasPrefix(t, "v"):
			form = withV
		case !strings.ContainsAny(t, "{$"):
			form = withoutV
		}
		versions++
		if m := literal.FindStringSubmatch(t); m != nil {
			return "{{.Version}}" + m[2]
		}
		return "{{.Version}}"
	})
	if strings.TrimPrefix(template, "v") == "{{.Major}}.{{.Minor}}.{{.Patch}}" {
		versions++
		if form = withoutV; strings.HasPrefix(template, "v") {
			form = withV
		}
		template = "{{.Version}}"
	}
	if before, ok := strings.CutPrefix(template, "v{{.Version}}"); ok {
		template, form = "{{.Version}}"+before, withV
	}
	if versions > 1 || strings.HasPrefix(template, "sha-") || strings.ContainsAny(template, "$ ") {
		return "", ""
	}
	return template, form
}

// tagsOf returns the tags of a build: those of a version, and those that move.
func (d *Draft) tagsOf(b dockerBuild) (tags, floats []string) {
	b.moves = b.moves || b.ofBranches || !d.versioned(b)
	seen := map[string]bool{}
	for _, n := range b.names {
		_, tag := splitReference(n)
		if withoutArch(tag) != tag && b.rank == publishes {
			d.leave("tags for each architecture, which platformTags under names makes", "%s (%s)", tag, b.at)
		}
		template, form := tagTemplate(d.madeTag(withoutArch(tag)))
		switch {
		case template == "":
			if b.rank == publishes && tag != "" {
				d.leave("tags that are not known, or of no version", "%s (%s)", tag, b.at)
			}
		case b.ofBranches && form == "" && strings.Contains(tag, "$"):
			d.leave("tags that a release does not move", "%s (%s)", tag, b.at)
		case strings.Contains(template, "{{.Version}}"):
			if slices.Contains(tags, template) && form == "" && b.rank == publishes && !seen[n] {
				d.leave("further tags, whose values are not known", "%s (%s)", tag, b.at)
			}
			seen[n] = true
			tags = appendNew(tags, template)
			if form == asGit && d.vTags {
				form = withV
			} else if form == asGit {
				form = withoutV
			}
			if form != "" {
				d.tagForms = append(d.tagForms, claim{form, b.rank, b.at})
			}
		case b.rank == publishes && b.moves:
			d.leave("tags that a release does not move", "%s (%s)", template, b.at)
		case b.rank == publishes:
			floats = appendNew(floats, template)
		}
	}
	return tags, floats
}

// madeTag replaces a variable of make by its value, if that is a tag of git.
func (d *Draft) madeTag(tag string) string {
	return makeVariable.ReplaceAllStringFunc(tag, func(v string) string {
		value := d.make.Values[strings.Trim(v, "$(){}")]
		if strippedTag.MatchString(value) || wholeTag.MatchString(value) {
			return value
		}
		return v
	})
}

var makeVariable = lazyregexp.New(`\$\(\w+\)|\$\{\w+\}`)

// versioned reports whether a build has a tag of a version, or another build of its Dockerfile in
// the same file does.
func (d *Draft) versioned(b dockerBuild) bool {
	has := func(names []string) bool {
		return slices.ContainsFunc(names, func(n string) bool {
			_, tag := splitReference(n)
			template, _ := tagTemplate(withoutArch(tag))
			return strings.Contains(template, "{{.Version}}")
		})
	}
	return has(b.names) || slices.ContainsFunc(d.dockerBuilds, func(o dockerBuild) bool {
		return o.file == b.file && o.at.file == b.at.file && !o.ofBranches && has(o.names)
	})
}

// options are those of a line of docker/metadata-action.
func options(line string) map[string]string {
	all := map[string]string{}
	for part := range strings.SplitSeq(strings.ReplaceAll(line, "\n", ","), ",") {
		if name, v, ok := strings.Cut(strings.TrimSpace(part), "="); ok {
			all[name] = v
		} else {
			all["value"] = name
		}
	}
	return all
}

// enabled matches the condition of a tag of docker/metadata-action.
var enabled = lazyregexp.New(`enable=\$\{\{(.*)\}\}`)

// metadata returns the tags of docker/metadata-action.
func metadata(step *yaml.Node, text func(n *yaml.Node, path ...any) string) (tags []string) {
	lines, flavor := text(step, "with", "tags"), text(step, "with", "flavor")
	if strings.TrimSpace(lines) == "" {
		lines = "type=ref,event=tag"
	}
	general := options(flavor)
	latest := false
	raw := strings.Split(yamlfile.Text(step, "with", "tags"), "\n")
	for n, l := range strings.Split(lines, "\n") {
		if l = strings.TrimSpace(l); l == "" || strings.HasPrefix(l, "#") {
			continue
		}
		if m := enabled.FindStringSubmatch(raw[min(n, len(raw)-1)]); m != nil && forBranch(m[1]) {
			continue
		}
		of := options(l)
		tag := ""
		switch of["type"] {
		case "":
			tag = l
		case "semver", "pep440":
			tag, latest = cmp.Or(of["pattern"], "{{version}}"), true
		case "match":
			tag, latest = "{{raw}}", true
		case "ref":
			switch of["event"] {
			case "tag":
				tag, latest = "{{raw}}", true
			case "branch":
				tag = "$(branch)"
			}
		case "raw":
			tag = of["value"]
		case "sha":
			tag, of["prefix"] = "$(sha)", cmp.Or(of["prefix"], "sha-")
		}
		if enable := of["enable"]; tag == "" || enable == "false" || strings.Contains(enable, "is_default_branch") {
			continue // of branches, or never
		}
		or := func(name string) string {
			if v, ok := of[name]; ok {
				return v
			}
			return general[name]
		}
		tags = append(tags, or("prefix")+tag+or("suffix"))
	}
	if how := cmp.Or(general["latest"], "auto"); how == "true" || latest && how == "auto" {
		tags = append(tags, "latest")
	}
	return tags
}

// tagged reports whether tags of git begin with v, or are not known.
func tagged(tags []string) bool {
	versions := slices.DeleteFunc(slices.Clone(tags), func(t string) bool { return !literalVersion.MatchString(t) })
	return len(versions) == 0 || slices.ContainsFunc(versions, func(t string) bool { return strings.HasPrefix(t, "v") })
}

// addV decides whether tags of images have a v that those of git have not.
func (d *Draft) addV() {
	if !slices.ContainsFunc(d.tagForms, func(c claim) bool { return c.value == withV }) ||
		d.decide("tags", "the tag of images for the tag 1.2.3 of git: with a v, images have it under tags",
			d.tagForms) != withV {
		return
	}
	for n := range d.images {
		i := &d.images[n]
		i.tags = slices.Clone(versionTags(*i))
		for k, tag := range i.tags {
			if strings.HasPrefix(tag, "{{.Version}}") {
				i.tags[k] = "v" + tag
			}
		}
		d.seen["images["+i.name+"].tags"] = d.seen["tags"]
	}
}

// findTags decides whether the tags of images have the v of git's.
func (d *Draft) findTags() {
	for _, r := range d.allReferences() {
		if slices.ContainsFunc(d.images, func(i image) bool { return r.rank.ofUsers() && i.isNamed(r) }) {
			if _, form := tagTemplate(r.tag); form != "" && !strings.Contains(r.tag, "{") {
				d.tagForms = append(d.tagForms, claim{form, installs, r.at})
			}
		}
	}
	forms := d.tagForms
	if d.without && len(d.images) == 0 {
		return
	}
	if d.version != "git" {
		if all := candidates(forms); proven(all) && all[0].value == withoutV {
			d.tagPrefix = "v"
		}
		return // the version is as it stands
	}
	if !d.vTags {
		d.addV()
		return
	}
	if len(candidates(forms)) < 2 {
		forms = append(forms, claim{value: withV}, claim{value: withoutV})
	}
	if d.decide("tagPrefix", "the tag of images for the tag v1.2.3 of git "+
		"(tagPrefix: v takes the v off)", forms) == withoutV {
		d.tagPrefix = "v"
	}
}
