package scaffold

import (
	"strings"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
)

// ofHub returns the images of a line that are named without a host, with their tags.
func ofHub(line string) (list [][]string) {
	add := func(ref string) {
		if m := inHub.FindStringSubmatch(ref); m != nil {
			list = append(list, m)
		}
	}
	for _, m := range hubField.FindAllStringSubmatch(line, -1) {
		add(m[1])
	}
	for _, m := range runsImage.FindAllStringSubmatch(line, -1) {
		words := strings.Fields(m[1])
		for i := 0; i < len(words); i++ {
			if !strings.HasPrefix(words[i], "-") {
				add(words[i])
				break
			}
			if !plainFlag.MatchString(words[i]) {
				i++
			}
		}
	}
	return list
}

var (
	// inHub matches a name of Docker Hub.
	inHub = lazyregexp.New(`^([a-z0-9_-]+/[a-z0-9][a-z0-9._-]*)(:[A-Za-z0-9._-]+)?$`)
	// hubField matches one of a file of YAML.
	hubField = lazyregexp.New("(?:image|repository):\\s+[\"']?([^\\s\"'`]+)")
	// runsImage matches a command that pulls an image, with what follows.
	runsImage = lazyregexp.New("docker (?:pull|run)([^`\n]*)")
	// plainFlag matches the flags of docker run that have no value.
	plainFlag = lazyregexp.New(`^(?:-[dit]+|--(?:rm|init|privileged|detach|interactive|tty|read-only|quiet|\S+=\S*))$`)
)
