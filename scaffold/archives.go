package scaffold

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/platform"
)

// download is what users download: programs, for platforms.
type download struct {
	name                string // "" for the product's
	programs, platforms []string
	file                string            // the template of the file's name, "" for the usual one
	formats             map[string]string // of systems that have another one than usual
	binary              bool              // it is the programs themselves
	at                  place
}

// releaserBuild is a build of GoReleaser that its archives have.
type releaserBuild struct {
	id, program string
	platforms   []string
}

// usualArchive is the name that GoReleaser gives archives.
const usualArchive = "{{ .ProjectName }}_{{ .Version }}_{{ .Os }}_{{ .Arch }}{{ with .Arm }}v{{ . }}{{ end }}"

// releaserArchives takes the archives of .goreleaser.yaml, each with its builds: one of all builds
// if it names none.
func (d *Draft) releaserArchives(name string, n *yaml.Node, project string, builds []releaserBuild) {
	all := items(n, "archives")
	if one := yamlfile.Value(n, "archive"); one != nil { // as it was
		all = append(all, one)
	}
	if len(all) == 0 {
		all = []*yaml.Node{{Kind: yaml.MappingNode, Line: n.Line}}
	}
	for _, a := range all {
		now := download{at: place{name, a.Line}}
		ids := append(texts(a, "ids"), texts(a, "builds")...)
		for _, b := range builds {
			if len(ids) == 0 || slices.Contains(ids, b.id) {
				now.programs = appendNew(now.programs, b.program)
				now.platforms = appendNew(now.platforms, b.platforms...)
			}
		}
		if len(now.programs) == 0 {
			continue
		}
		if len(all) > 1 && len(now.programs) == 1 {
			now.name = now.programs[0]
		} else if len(all) > 1 {
			now.name = cmp.Or(yamlfile.Text(a, "id"), project)
		}
		now.name = unique(now.name, func(name string) bool {
			return slices.ContainsFunc(d.archives, func(o download) bool { return o.name == name })
		})
		d.archiveForm(a, &now)
		usual := usualArchive
		if now.binary {
			usual = strings.Replace(usual, ".ProjectName", ".Binary", 1)
		}
		template := cmp.Or(yamlfile.Text(a, "name_template"), usual)
		var ok bool
		if now.file, ok = archiveName(template, project, now); !ok || yamlfile.Value(a, "replacements") != nil {
			now.file = ""
			d.leave("names of archives, which archiveName of the artifact would give", "%s (%s)", template,
				placeOf(name, cmp.Or(yamlfile.Value(a, "name_template"), a)))
		}
		d.archives = append(d.archives, now)
	}
}

// archiveForm takes the formats of an archive, where they are not those of a release without a
// word: tar.gz, and zip for Windows.
func (d *Draft) archiveForm(a *yaml.Node, now *download) {
	formats := func(n *yaml.Node) []string {
		return append(texts(n, "formats"), strings.Fields(yamlfile.Text(n, "format"))...)
	}
	general := append(formats(a), "tar.gz")
	now.binary = general[0] == "binary"
	own := map[string]string{}
	more := general[1:max(1, len(general)-1)]
	for _, o := range items(a, "format_overrides") {
		if all := formats(o); len(all) > 0 {
			own[yamlfile.Text(o, "goos")] = all[0]
			more = append(more, all[1:]...)
		}
	}
	now.formats = map[string]string{}
	for _, p := range now.platforms {
		os, _, _ := strings.Cut(p, "/")
		format := strings.Replace(cmp.Or(own[os], general[0]), "tgz", "tar.gz", 1)
		usual := map[bool]string{true: "zip", false: "tar.gz"}[os == platform.Windows]
		switch {
		case now.binary:
		case format != "tar.gz" && format != "zip":
			more = append(more, format)
		case format != usual:
			now.formats[os] = format
		}
	}
	for _, f := range more {
		d.leave("formats of archives that a release does not have, or not besides", "%s (%s)", f, now.at)
	}
	for _, key := range []string{"files", "wrap_in_directory"} {
		if v := yamlfile.Value(a, key); v != nil && v.Value != "false" {
			d.leave("files and directories of archives, which files and directory of the artifact name", "%s (%s)", key,
				place{now.at.file, v.Line})
		}
	}
}

func isForWindows(p string) bool { return strings.HasPrefix(p, platform.Windows+"/") }

var (
	// action is a part of a template of Go.
	action = lazyregexp.New(`\{\{-?\s*(.*?)\s*-?\}\}`)
	// noVariant matches what GoReleaser adds for variants, which are in the architecture's name here.
	noVariant = lazyregexp.New(`(?s)\{\{-?\s*(?:if|with)\s+(?:\.Arm|\.Mips|\.Amd64|not \(eq \.Amd64 "v1"\))\s*-?\}\}.*?\{\{-?\s*end\s*-?\}\}`)
	// sameAction matches an action that is the same here.
	sameAction = lazyregexp.New(`^(?:(?:else )?if eq \.(?:Os|Arch) "[a-z0-9]+"|else|end)$`)
)

// systemNames are the operating systems with a capital.
const systemNames = `{{if eq .OS "linux"}}Linux{{else if eq .OS "darwin"}}Darwin{{else if eq .OS "windows"}}Windows` +
	`{{else if eq .OS "freebsd"}}Freebsd{{else}}{{.OS}}{{end}}`

// archiveName returns the name of an archive as slipway.yaml has it, "" for the usual one, and
// reports whether slipway.yaml can have it.
func archiveName(template, project string, a download) (string, bool) {
	arch := a.arch(template)
	template = noVariant.ReplaceAllString(template, "")
	var b strings.Builder
	rest := template
	for {
		m := action.FindStringSubmatchIndex(rest)
		if m == nil {
			break
		}
		b.WriteString(strings.Join(strings.Fields(rest[:m[0]]), ""))
		switch word := rest[m[2]:m[3]]; {
		case word == ".ProjectName":
			b.WriteString(project)
		case word == ".Binary" && a.binary:
			b.WriteString("{{.Name}}")
		case word == ".Binary" && len(a.programs) == 1:
			b.WriteString(a.programs[0])
		case word == ".Version":
			b.WriteString(asBare)
		case word == ".Tag":
			b.WriteString(asTag)
		case word == ".Os", word == "tolower .Os":
			b.WriteString("{{.OS}}")
		case word == "title .Os", word == ".Os | title":
			b.WriteString(systemNames)
		case word == ".Arch":
			b.WriteString(arch)
		case sameAction.MatchString(word) && !strings.Contains(word, `"arm"`):
			b.WriteString("{{" + strings.ReplaceAll(word, ".Os", ".OS") + "}}")
		default:
			return "", false
		}
		rest = rest[m[1]:]
	}
	b.WriteString(strings.Join(strings.Fields(rest), ""))
	if !a.tells(b.String()) {
		return "", false
	}
	return b.String(), true
}

// arch is the placeholder of the architecture in a template: with the variant of arm only if the
// template has it.
func (a download) arch(template string) string {
	n := slices.IndexFunc(a.platforms, func(p string) bool { return strings.Contains(p, "/arm/") })
	if n < 0 || strings.Contains(template, ".Arm") {
		return "{{.Arch}}"
	}
	return `{{if eq .Arch "arm` + path.Base(a.platforms[n]) + `"}}arm{{else}}{{.Arch}}{{end}}`
}

// tells reports whether files of one template have a name for each platform.
func (a download) tells(template string) bool {
	systems := map[string]map[string]bool{}
	for _, p := range a.platforms {
		os, arch, _ := strings.Cut(p, "/")
		if systems[os] == nil {
			systems[os] = map[string]bool{}
		}
		systems[os][arch] = true
	}
	for _, of := range systems {
		if len(of) > 1 && !strings.Contains(template, ".Arch") {
			return false
		}
	}
	return len(systems) < 2 || strings.Contains(template, ".OS")
}

// writeArtifacts writes what a release has for download.
func (d *Draft) writeArtifacts(w *writer) {
	if len(d.archived) == 0 {
		return
	}
	w.section("artifacts")
	all := d.archives
	if len(all) == 0 {
		all = []download{{name: d.name, programs: d.archived, platforms: d.artifactPlatforms, file: d.archiveFile}}
	}
	for _, a := range all {
		w.line("  - name: %s", cmp.Or(a.name, d.name))
		on := slices.DeleteFunc(slices.Clone(a.platforms), func(p string) bool {
			return !slices.Contains(d.artifactPlatforms, p)
		})
		if len(on) == 0 { // others are the answer
			on = d.artifactPlatforms
		}
		from := d.from("artifacts")
		if len(all) > 1 {
			from = comment([]string{a.at.String()})
		}
		w.line("    programs: " + list(a.programs) + from)
		w.fieldOf("    platforms", on)
		if a.binary {
			w.line("    forms: [binary]")
		}
		key := map[bool]string{false: "archiveName", true: "binaryName"}[a.binary]
		w.field("    "+key, d.versions(a.file))
		formats := maps.Clone(a.formats)
		maps.DeleteFunc(formats, func(os, _ string) bool {
			return !slices.ContainsFunc(on, func(p string) bool { return strings.HasPrefix(p, os+"/") })
		})
		if len(formats) > 0 {
			w.line("    formats: " + mapping(formats))
		}
	}
}
