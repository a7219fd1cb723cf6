package lint

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/render/workload"
)

// windowsOption is a value of the windowsOptions of a pod or container.
type windowsOption[T any] struct {
	value *T
	path  []any // of the field, below the pod's spec; of the container if the value is nil
}

// option returns the option of a container: its own, or else the pod's.
func option[T any](spec *corev1.PodSpec, c workload.Container, field string,
	get func(*corev1.WindowsSecurityContextOptions) *T,
) windowsOption[T] {
	if sc := c.SecurityContext; sc != nil && sc.WindowsOptions != nil && get(sc.WindowsOptions) != nil {
		return windowsOption[T]{
			get(sc.WindowsOptions),
			slices.Concat(c.Path, []any{"securityContext", "windowsOptions", field}),
		}
	}
	if sc := spec.SecurityContext; sc != nil && sc.WindowsOptions != nil && get(sc.WindowsOptions) != nil {
		return windowsOption[T]{get(sc.WindowsOptions), []any{"securityContext", "windowsOptions", field}}
	}
	return windowsOption[T]{path: c.Path}
}

func userName(spec *corev1.PodSpec, c workload.Container) windowsOption[string] {
	return option(spec, c, "runAsUserName", func(o *corev1.WindowsSecurityContextOptions) *string {
		return o.RunAsUserName
	})
}

// nonRoot returns runAsNonRoot of a container, its own or the pod's, and the path of the field.
func nonRoot(spec *corev1.PodSpec, c workload.Container) (path []any, is bool) {
	if sc := c.SecurityContext; sc != nil && sc.RunAsNonRoot != nil {
		return slices.Concat(c.Path, []any{"securityContext", "runAsNonRoot"}), *sc.RunAsNonRoot
	}
	if sc := spec.SecurityContext; sc != nil && sc.RunAsNonRoot != nil {
		return []any{"securityContext", "runAsNonRoot"}, *sc.RunAsNonRoot
	}
	return nil, false
}

// rootByName reports runAsNonRoot with the account that the kubelet treats as root. HostProcess
// pods have a rule of their own.
func rootByName(p *pod, report reportFunc) {
	if p.hostProcess() {
		return
	}
	for _, c := range workload.Containers(p.spec) {
		user := userName(p.spec, c)
		if path, is := nonRoot(p.spec, c); is &&
			user.value != nil && strings.EqualFold(*user.value, "ContainerAdministrator") {
			report("", path...)
		}
	}
}

// The API server's own limits: pkg/apis/core/validation of Kubernetes,
// validateWindowsSecurityContextOptions.
var (
	controlCharacters = lazyregexp.New(`[[:cntrl:]]`)
	netBIOSDomain     = lazyregexp.New(`^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$`)
	dnsDomain         = lazyregexp.New(
		`^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$`)
	dotsAndBlanks = lazyregexp.New(`^[. ]+$`)
)

const (
	maxDomain = 255 // characters
	maxUser   = 104
)

// userNameFault returns the fault of a runAsUserName, or "".
func userNameFault(name string) string {
	domain, user, hasDomain := strings.Cut(name, `\`)
	if !hasDomain {
		domain, user = "", name
	}
	switch {
	case name == "":
		return "it is empty"
	case controlCharacters.MatchString(name):
		return "it has control characters"
	case strings.Contains(user, `\`):
		return "it has more than one backslash"
	case len(domain) > maxDomain:
		return fmt.Sprintf("its domain is longer than %d characters", maxDomain)
	case hasDomain && !netBIOSDomain.MatchString(domain) && !dnsDomain.MatchString(domain):
		return fmt.Sprintf("%q is neither a NetBIOS nor a DNS domain", domain)
	case user == "":
		return "it has no user"
	case len(user) > maxUser:
		return fmt.Sprintf("its user is longer than %d characters", maxUser)
	case dotsAndBlanks.MatchString(user):
		return "its user is dots and blanks alone"
	case strings.ContainsAny(user, `"/:;|=,+*?<>@[]`):
		return `its user has one of "/\:;|=,+*?<>@[]`
	}
	return ""
}

func badUserName(p *pod, report reportFunc) {
	for _, c := range workload.Containers(p.spec) {
		user := userName(p.spec, c)
		if user.value == nil {
			continue
		}
		if fault := userNameFault(*user.value); fault != "" {
			report(fmt.Sprintf("runAsUserName %q cannot name an account: %s", *user.value, fault), user.path...)
		}
	}
}
