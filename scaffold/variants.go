package scaffold

import (
	"regexp"
	"slices"
	"strings"
)

// hostProcess gives an image of HostProcess the repository of the image it is a variant of, where
// manifests know it by a tag.
func (d *Draft) hostProcess(tags map[string][]string) {
	for n, i := range d.images {
		m := slices.IndexFunc(d.images, func(o image) bool {
			return !strings.HasSuffix(o.name, "-hostprocess") && (o.repository != "" || d.names.repository != "")
		})
		if !strings.HasSuffix(i.name, "-hostprocess") || m < 0 {
			continue
		}
		repository := d.repositoryOf(d.images[m])
		for _, tag := range tags[d.names.registry+"/"+repository] {
			if suffix := hostProcessTag.FindString(tag); suffix != "" && repository != "" {
				d.images[n].repository = repository
				d.images[n].tags = []string{"{{.Version}}" + suffix}
				break
			}
		}
	}
}

var hostProcessTag = regexp.MustCompile(`-(?:windows-hp|windows-hostprocess|hpc|hostprocess|hp)$`)

// repositoryOf returns the repository by which users know an image, "" if none was found.
func (d *Draft) repositoryOf(i image) string {
	if d.names.repository != "" {
		return strings.ReplaceAll(d.names.repository, "{{.Name}}", i.name)
	}
	return i.repository
}

// prometheus names the images of Prometheus' projects as their Makefile does: each Dockerfile is a
// variant of one image, by a label whose value ends the tag. The image of the file without an
// ending has the plain tag, too.
func (d *Draft) prometheus() {
	for n, i := range d.images {
		if i.variant == "" {
			continue
		}
		tag := "{{.Version}}-" + i.variant
		main := slices.IndexFunc(d.images, func(o image) bool { return strings.HasPrefix(i.name, o.name+"-") })
		if main < 0 {
			d.images[n].tags = []string{"{{.Version}}", tag}
		} else if repository := d.repositoryOf(d.images[main]); repository != "" {
			d.images[n].repository, d.images[n].tags = repository, []string{tag}
		}
	}
}
