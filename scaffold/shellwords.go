package scaffold

import (
	"regexp"
	"strings"
)

// builder matches a command that builds an image, up to its arguments.
var imageBuild = regexp.MustCompile(`(?:^|[\s;&|({@'"-])(?:[\w./-]*(?:docker|podman|nerdctl|buildah)|\$[({][A-Za-z0-9_]*(?:DOCKER|CTR|CONTAINER|PODMAN|BUILDER|ENGINE)[A-Za-z0-9_]*[)}])(?:\s+-[^\s]+)*\s+(?:(?:image|buildx|builder)\s+)?(?:build|bud)\s+(.*)$`)

// logical returns the lines of a script, joined where they end with a backslash.
func logical(text string) []string {
	text = strings.NewReplacer("\\\r\n", " ", "\\\n", " ").Replace(text)
	return strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
}

// shellWords splits a command line up to its end: quotes are taken off, and what a shell or make
// would put in place stays one word.
func shellWords(s string) (words []string) {
	var b strings.Builder
	quote, depth, some := byte(0), 0, false
	end := func() {
		if some {
			words = append(words, b.String())
		}
		b.Reset()
		some = false
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case depth > 0:
			depth += strings.Count("({", string(c)) - strings.Count(")}", string(c))
			b.WriteByte(c)
			continue
		case c == '$' && quote != '\'' && i+1 < len(s) && (s[i+1] == '(' || s[i+1] == '{'):
			b.WriteString(s[i : i+2])
			i++
			depth, some = 1, true
			continue
		case quote != 0:
			if c == quote {
				quote = 0
			} else {
				b.WriteByte(c)
			}
			continue
		case c == '"' || c == '\'':
			quote, some = c, true
			continue
		case c == '\\' && i+1 < len(s):
			i++
			b.WriteByte(s[i])
			some = true
			continue
		case c == ' ' || c == '\t':
			end()
			continue
		case c == ';' || c == '&' || c == '|' || c == '>' || c == '#' && !some:
			end()
			return words
		}
		b.WriteByte(c)
		some = true
	}
	end()
	return words
}
