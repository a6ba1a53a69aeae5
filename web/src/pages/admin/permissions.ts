import type { Permission } from "../../lib/types";
import { admin } from "../../strings/admin";
import { common } from "../../strings/common";

export const permissions: { id: Permission; name: string; hint: string }[] = [
  { id: "content", name: common.permissions.content, hint: admin.permissionHints.content },
  { id: "streams", name: common.permissions.streams, hint: admin.permissionHints.streams },
  { id: "admin", name: common.permissions.admin, hint: admin.permissionHints.admin },
];
