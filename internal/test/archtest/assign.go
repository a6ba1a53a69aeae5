package archtest

import (
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"strconv"
	"strings"
)

// usesServices reports whether a package holds services, which it must not change.
func usesServices(pkg string) bool {
	layer, _ := layerOf(pkg)
	return layer == surface || layer == operation || layer == assembly
}

// checkAssignments finds assignments to a field of a service in a field, such as
//
//	a.Deliveries.Render = management.RenderReport
//
// A service gets all that it needs when it is built, so that the order in which services are built
// says which of them call which. Without types, a field counts as a service if any struct of the
// package has a field of that name that points to a type of a service.
func checkAssignments(pkg string, files []*ast.File) (breaches []string) {
	services := map[string]bool{}
	for _, file := range files {
		for _, name := range serviceFields(file) {
			services[name] = true
		}
	}
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			assign, ok := n.(*ast.AssignStmt)
			if !ok || assign.Tok != token.ASSIGN {
				return true
			}
			for _, to := range assign.Lhs {
				if field, ok := to.(*ast.SelectorExpr); ok && field.Sel.IsExported() && isServiceField(field.X, services) {
					breaches = append(breaches, fmt.Sprintf("%s sets %s: pass it when the service is built", pkg, nameOf(field)))
				}
			}
			return true
		})
	}
	return breaches
}

// serviceFields returns the names of the fields that point to types of services.
func serviceFields(file *ast.File) (names []string) {
	imported := map[string]bool{} // names of packages
	for _, spec := range file.Imports {
		full, _ := strconv.Unquote(spec.Path.Value)
		pkg, ours := relative(full)
		if layer, _ := layerOf(pkg); !ours || layer != service {
			continue
		}
		if spec.Name != nil {
			imported[spec.Name.Name] = true
		} else {
			imported[path.Base(pkg)] = true
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		list, ok := n.(*ast.StructType)
		if !ok {
			return true
		}
		for _, field := range list.Fields.List {
			pointer, _ := field.Type.(*ast.StarExpr)
			if pointer == nil {
				continue
			}
			of, _ := pointer.X.(*ast.SelectorExpr)
			if of == nil || !imported[nameOf(of.X)] {
				continue
			}
			for _, name := range field.Names {
				names = append(names, name.Name)
			}
		}
		return true
	})
	return names
}

// isServiceField reports whether an expression is a field that contains a service, or a part of one.
func isServiceField(x ast.Expr, services map[string]bool) bool {
	for {
		field, ok := x.(*ast.SelectorExpr)
		if !ok {
			return false
		}
		if services[field.Sel.Name] {
			return true
		}
		x = field.X
	}
}

// nameOf returns an expression of names and dots as a text.
func nameOf(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr:
		return strings.TrimPrefix(nameOf(x.X)+"."+x.Sel.Name, ".")
	}
	return ""
}
