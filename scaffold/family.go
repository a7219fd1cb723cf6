package scaffold

import (
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/platform"
)

// family are the stages of one image for one operating system: one, or one for each Windows
// release.
type family struct {
	from   *recipe
	os     string
	name   string // the stage's, without words for systems; "" if the file has one image for it
	stages []*stage
}

// families puts stages together that are one image: those for each Windows release.
func families(r *recipe, chosen []*stage) (list []family) {
	for _, s := range chosen {
		os, name := platform.Linux, s.Name
		if r.windows(s) {
			os = platform.Windows
			if w := windowsWord(s.Name); w != "" {
				name = strings.Replace(strings.ToLower(name), w, "", 1)
			}
		}
		name = withoutOS(name)
		same := slices.IndexFunc(list, func(f family) bool {
			return f.os == os && f.name == name && os == platform.Windows && windowsWord(s.Name) != "" && windowsWord(f.stages[0].Name) != ""
		})
		if same >= 0 {
			list[same].stages = append(list[same].stages, s)
			continue
		}
		list = append(list, family{r, os, name, []*stage{s}})
	}
	return list
}
