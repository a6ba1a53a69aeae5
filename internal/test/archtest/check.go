package archtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

// module is the import path of the domain package and the prefix of all others.
const module = "earshot"

// A source contains the package clause and imports of a package's production files.
type source struct {
	name    string          // in the package clause
	imports map[string]bool // import paths
	files   []*ast.File     // complete only in packages that use services
}

// Check returns a sorted list of sentences, one per violation, for the module at the root of fsys.
// An error means that the module could not be read.
func Check(fsys fs.FS) ([]string, error) {
	packages, err := read(fsys)
	if err != nil {
		return nil, err
	}
	var breaches []string
	for pkg, src := range packages {
		breaches = append(breaches, checkPackage(pkg, src)...)
	}
	slices.Sort(breaches)
	return breaches, nil
}

// read parses the imports of all production files, by package directory.
func read(fsys fs.FS) (map[string]*source, error) {
	packages := map[string]*source{}
	err := fs.WalkDir(fsys, ".", func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && file != "." && (ignored(entry.Name()) || isModule(fsys, file)):
			return fs.SkipDir
		case entry.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go"):
			return nil
		}
		return readFile(fsys, file, packages)
	})
	return packages, err
}

// ignored reports whether the go command ignores directories with this name. go.mod makes it ignore
// node_modules.
func ignored(dir string) bool {
	return dir == "testdata" || dir == "vendor" || dir == "node_modules" || strings.HasPrefix(dir, ".") || strings.HasPrefix(dir, "_")
}

// isModule reports whether a directory is a separate module, whose packages are not part of the
// program.
func isModule(fsys fs.FS, dir string) bool {
	_, err := fs.Stat(fsys, path.Join(dir, "go.mod"))
	return err == nil
}

func readFile(fsys fs.FS, file string, packages map[string]*source) error {
	text, err := fs.ReadFile(fsys, file)
	if err != nil {
		return err
	}
	pkg, mode := path.Dir(file), parser.ImportsOnly
	if usesServices(pkg) {
		mode = parser.SkipObjectResolution
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), file, text, mode)
	if err != nil {
		return err
	}
	if packages[pkg] == nil {
		packages[pkg] = &source{name: parsed.Name.Name, imports: map[string]bool{}}
	}
	packages[pkg].files = append(packages[pkg].files, parsed)
	for _, spec := range parsed.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return fmt.Errorf("%s: import %s: %w", file, spec.Path.Value, err)
		}
		packages[pkg].imports[imported] = true
	}
	return nil
}

func checkPackage(pkg string, src *source) []string {
	var breaches []string
	for _, name := range slices.Compact([]string{path.Base(pkg), src.name}) {
		if slices.Contains(bannedNames, name) {
			breaches = append(breaches, fmt.Sprintf("%s: %q is not descriptive; name the package after its purpose", pkg, name))
		}
	}
	layer, known := layerOf(pkg)
	if !known {
		return append(breaches, fmt.Sprintf("%s: add it to the table in internal/test/archtest/archtest.go", pkg))
	}
	for _, imported := range slices.Sorted(maps.Keys(src.imports)) {
		if why := checkImport(pkg, layer, imported); why != "" {
			breaches = append(breaches, fmt.Sprintf("%s imports %s: %s", pkg, imported, why))
		}
	}
	if usesServices(pkg) {
		breaches = append(breaches, checkAssignments(pkg, src.files)...)
	}
	return breaches
}

// checkImport returns why a package in a layer may not import another, or "".
func checkImport(importer string, layer int, imported string) string {
	pkg, ours := relative(imported)
	if !ours {
		return checkForeign(importer, layer, imported)
	}
	to, known := layerOf(pkg)
	switch {
	case !known:
		return "" // reported for the imported package itself
	case layer == domain:
		return "the domain imports only the standard library"
	case layer == service && to == service && slices.Contains(uses[importer], pkg):
		return ""
	case layer == service && to == service:
		return "services do not import each other; declare an interface, which app connects"
	case layer == service && pkg == "internal/http/rest":
		return "services do not depend on HTTP"
	case slices.Contains(private, pkg) && !within(importer, path.Dir(pkg)):
		return "only " + path.Dir(pkg) + " and the packages below it import it"
	case (to == adapter || to == node) && layer > adapter && layer != operation && layer != assembly:
		return "only app and operate import adapters"
	case to >= layer:
		return "a package imports only packages of lower layers"
	}
	return ""
}

// checkForeign is checkImport for packages outside this module.
func checkForeign(importer string, layer int, imported string) string {
	host, _, _ := strings.Cut(imported, "/")
	standard := !strings.Contains(host, ".")
	switch {
	case layer == service && within(imported, "net/http"):
		return "services do not depend on HTTP"
	case standard:
		return ""
	case layer == domain:
		return "the domain imports only the standard library"
	case within(imported, "golang.org/x"):
		return ""
	}
	allowed, known := mayImport(importer, imported)
	switch {
	case !known:
		return "add its module to the table of modules in internal/test/archtest/archtest.go"
	case !allowed:
		return "the table of modules in internal/test/archtest/archtest.go does not allow it here"
	}
	return ""
}

// relative returns the directory of a package, and whether it belongs to this module.
func relative(imported string) (pkg string, ours bool) {
	if imported == module {
		return ".", true
	}
	return strings.CutPrefix(imported, module+"/")
}
